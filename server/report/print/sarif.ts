export interface Finding {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly level: "error" | "warning";
  readonly code: string;
  readonly message: string;
}

/** SARIF 2.1.0, as code scanning services read it. */
export function sarif(findings: readonly Finding[]): Record<string, unknown> {
  const rules = [...new Set(findings.map(({ code }) => code))].map((id) => ({ id }));
  return {
    version: "2.1.0",
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    runs: [
      {
        tool: { driver: { name: "scaling-lens", rules } },
        results: findings.map(({ file, line, column, level, code, message }) => ({
          ruleId: code,
          level,
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/") },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  };
}

export interface Finding {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly level: "error" | "warning";
  readonly code: string;
  readonly message: string;
}

/** An experiment of which nothing is known to be wrong or right. */
export interface Unjudged {
  readonly file: string;
  readonly experiment?: string;
  readonly reason: string;
}

/** SARIF 2.1.0, as code scanning services read it. What was not judged is a notification of the tool, not a result. */
export function sarif(findings: readonly Finding[], unjudged: readonly Unjudged[] = []): Record<string, unknown> {
  const rules = [...new Set(findings.map(({ code }) => code))].map((id) => ({ id }));
  return {
    version: "2.1.0",
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    runs: [
      {
        tool: { driver: { name: "scaling-lens", rules } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: unjudged.map(({ file, experiment, reason }) => ({
              level: "note",
              message: { text: `not judged${experiment ? ` (${experiment})` : ""}: ${reason}` },
              locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) } } }],
            })),
          },
        ],
        results: findings.map(({ file, line, column, level, code, message }) => ({
          ruleId: code,
          level,
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(file) },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  };
}

function uriOf(file: string): string {
  return file.split("/").map(encodeURIComponent).join("/");
}

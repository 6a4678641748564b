export interface Finding {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly level: "error" | "warning";
  readonly code: string;
  readonly message: string;
}

/** What is no result: an experiment that is not judged, or runs that are not read. */
export interface Unjudged {
  readonly file: string;
  readonly experiment: string;
  readonly reason: string;
  readonly what: "not judged" | "not read";
}

/** SARIF 2.1.0, as code scanning services read it. What was not judged is a notification of the tool, not a result. */
export function sarif(findings: readonly Finding[], unjudged: readonly Unjudged[]): Record<string, unknown> {
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
            toolExecutionNotifications: unjudged.map(({ file, experiment, reason, what }) => ({
              level: "note",
              message: { text: `${what}${experiment ? ` (${experiment})` : ""}: ${reason}` },
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

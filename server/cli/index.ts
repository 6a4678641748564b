import { nearest } from "../syntax/nearest";
import { parseArguments, type Options } from "./arguments";
import type { Command } from "./command";
import { COMMANDS } from "./commands";
import { Engine } from "./engine";
import { InputError, type ExitCode, type Io } from "./io";

/** Runs one command line. Never throws: bad input is a located line and code 2, and so is a fault of our own. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    io.out(help(COMMANDS.find((command) => command.name === rest[0])));
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") {
    io.out(process.env.SCALING_LENS_VERSION ?? "unknown");
    return 0;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) {
    const names = COMMANDS.map((one) => one.name);
    const close = nearest(name, names);
    io.err(
      `scaling-lens: "${name}" is no command; ${close === undefined ? `there are ${names.join(", ")}` : `did you mean ${close}?`}`,
    );
    return 2;
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    io.out(help(command));
    return 0;
  }
  try {
    const args = parseArguments(rest, command.options);
    return await command.run(new Engine(io, args.text("cache")), args);
  } catch (error) {
    io.err(
      error instanceof InputError
        ? error.toString()
        : `scaling-lens ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return 2;
  }
}

function help(command: Command | undefined): string {
  if (command)
    return [
      `scaling-lens ${command.usage}`,
      `${command.summary[0].toUpperCase()}${command.summary.slice(1)}.`,
      optionHelp(command.options),
      command.examples ? `Examples:\n${command.examples.map((line) => `  ${line}`).join("\n")}` : "",
    ]
      .filter((part) => part !== "")
      .join("\n\n");
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    "scaling-lens COMMAND …: scaling laws and budget allocation for agentic RL",
    "",
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "scaling-lens help COMMAND lists its options with examples. Exit codes: 0 fine, 1 a finding, 2 bad input.",
  ].join("\n");
}

function optionHelp(options: Options): string {
  const left = Object.entries(options).map(([name, { value }]) => `  --${name}${value ? ` ${value}` : ""}`);
  const width = Math.max(...left.map((text) => text.length));
  return Object.values(options)
    .map(({ help: text }, i) => `${left[i].padEnd(width)}  ${text}`)
    .join("\n");
}

import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** The command that prints a completion script; it knows all others. */
export function completion(commands: () => readonly Command[]): Command {
  return {
    name: "completion",
    usage: `completion ${SHELLS.join(" | ")}`,
    summary: "a completion script for your shell",
    options: {},
    examples: [
      'eval "$(scaling-lens completion bash)"   # in ~/.bashrc',
      "scaling-lens completion fish > ~/.config/fish/completions/scaling-lens.fish",
    ],
    run(engine, args): Promise<ExitCode> {
      const [shell] = args.positional;
      if (args.positional.length !== 1 || !(SHELLS as readonly string[]).includes(shell))
        throw new InputError(`name one shell: ${SHELLS.join(", ")}`);
      engine.io.out(SCRIPTS[shell as Shell](commands()).trim());
      return Promise.resolve(0);
    },
  };
}

const optionsOf = (command: Command): string =>
  [...Object.keys(command.options), "help"].map((name) => `--${name}`).join(" ");

const quoted = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: (commands) => `
_scaling_lens() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} help" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map((command) => `    ${command.name}) options="${optionsOf(command)}" ;;`).join("\n")}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _scaling_lens scaling-lens`,
  zsh: (commands) => `
#compdef scaling-lens
_scaling_lens() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`).join("\n")}
    )
    _describe command commands
    return
  fi
  case "$words[2]" in
${commands
  .map(
    ({ name, options }) =>
      `    ${name}) _arguments ${Object.entries(options)
        .map(([option, { kind, help }]) =>
          quoted(`--${option}[${help.replace(/[[\]:]/g, " ")}]${kind === "flag" ? "" : `:${option}:_files`}`),
        )
        .join(" ")} '*:file:_files' ;;`,
  )
  .join("\n")}
  esac
}
compdef _scaling_lens scaling-lens`,
  fish: (commands) =>
    commands
      .flatMap(({ name, summary, options }) => [
        `complete -c scaling-lens -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
        ...Object.entries(options).map(
          ([option, { kind, help }]) =>
            `complete -c scaling-lens -n '__fish_seen_subcommand_from ${name}' -l ${option} ${kind === "flag" ? "" : "-r "}-d ${quoted(help)}`,
        ),
      ])
      .join("\n"),
};

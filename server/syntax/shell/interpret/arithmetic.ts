/**
 * Whole-number arithmetic of `$(( … ))`. Null when a name or the syntax is not understood; assignments and `++` are
 * given to `assign`. Bounded by the length of its text.
 */
export function arithmetic(
  text: string,
  lookup: (name: string) => number | null,
  assign: (name: string, value: number) => void = () => undefined,
): number | null {
  const tokens =
    text.match(
      /\d+#\w+|0[xX][\da-fA-F]+|\d+|[A-Za-z_]\w*|\*\*|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%]=|[-+*/%<>=!~&|^?:(),]|\S/g,
    ) ?? [];
  if (tokens.length > 2000) return null;
  let at = 0;
  let depth = 0;
  const peek = () => tokens[at];
  const take = (token: string) => (tokens[at] === token ? (at++, true) : false);

  const primary = (): number | null => {
    if (++depth > 200) return null;
    try {
      const token = tokens[at++];
      if (token === undefined) return null;
      if (token === "(") {
        const value = comma();
        return take(")") ? value : null;
      }
      if (token === "-" || token === "+" || token === "!" || token === "~") {
        const value = primary();
        if (value === null) return null;
        return token === "-" ? -value : token === "+" ? value : token === "!" ? Number(value === 0) : ~value;
      }
      if (token === "++" || token === "--") {
        const name = tokens[at++] ?? "";
        const value = lookup(name);
        if (value === null) return null;
        const next = value + (token === "++" ? 1 : -1);
        assign(name, next);
        return next;
      }
      if (/^0[xX]/.test(token)) return Number(token);
      if (/^0\d/.test(token)) return /^[0-7]+$/.test(token) ? Number.parseInt(token, 8) : null;
      if (/^\d+$/.test(token)) return Number(token);
      if (!/^[A-Za-z_]/.test(token)) return null;
      return variable(token);
    } finally {
      depth--;
    }
  };

  const variable = (name: string): number | null => {
    const next = peek();
    if (next === "++" || next === "--") {
      at++;
      const value = lookup(name);
      if (value !== null) assign(name, value + (next === "++" ? 1 : -1));
      return value;
    }
    if (next !== "=" && !/^[-+*/%]=$/.test(next ?? "")) return lookup(name);
    at++;
    const right = ternary();
    if (right === null) return null;
    const value = next === "=" ? right : apply(next[0], lookup(name), right);
    if (value !== null) assign(name, value);
    return value;
  };

  const power = (): number | null => {
    const base = primary();
    if (!take("**")) return base;
    const exponent = power();
    return base === null || exponent === null || exponent < 0 ? null : whole(base ** exponent);
  };

  const binary = (level: number): number | null => {
    if (level === LEVELS.length) return power();
    let left = binary(level + 1);
    while (LEVELS[level].includes(peek() ?? "")) {
      const operator = tokens[at++];
      const right = binary(level + 1);
      left = apply(operator, left, right);
    }
    return left;
  };

  const ternary = (): number | null => {
    const test = binary(0);
    if (!take("?")) return test;
    const yes = ternary();
    if (!take(":")) return null;
    const no = ternary();
    return test === null ? null : test !== 0 ? yes : no;
  };

  const comma = (): number | null => {
    let value = ternary();
    while (take(",")) value = ternary();
    return value;
  };

  const value = comma();
  return at === tokens.length ? value : null;
}

const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", ">", "<=", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];

function whole(value: number): number | null {
  return Number.isSafeInteger(value) ? value : null;
}

function apply(operator: string, left: number | null, right: number | null): number | null {
  if (left === null || right === null) return null;
  switch (operator) {
    case "+":
      return whole(left + right);
    case "-":
      return whole(left - right);
    case "*":
      return whole(left * right);
    case "/":
      return right === 0 ? null : Math.trunc(left / right);
    case "%":
      return right === 0 ? null : left % right;
    case "<<":
      return whole(left * 2 ** right);
    case ">>":
      return Math.floor(left / 2 ** right);
    case "<":
      return Number(left < right);
    case ">":
      return Number(left > right);
    case "<=":
      return Number(left <= right);
    case ">=":
      return Number(left >= right);
    case "==":
      return Number(left === right);
    case "!=":
      return Number(left !== right);
    case "&&":
      return Number(left !== 0 && right !== 0);
    case "||":
      return Number(left !== 0 || right !== 0);
    case "&":
      return left & right;
    case "|":
      return left | right;
    case "^":
      return left ^ right;
    default:
      return null;
  }
}

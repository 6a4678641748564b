// Whether what the figures of a notebook write can be read: contrast against what really lies beneath, nothing cut, no text over another.

/**
 * Looks at every figure in a notebook's frame and returns what is wrong with it, one line each, and how many texts were looked at.
 * `contrast` is the least ratio (WCAG 2: 4.5 for AA, 7 for AAA).
 */
export function illegible(frame, contrast) {
  return frame.evaluate(look, contrast);
}

/** Runs in the page, and therefore uses nothing from outside itself. */
function look(least) {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  /** Any CSS colour as [r, g, b, alpha]; `none` and gradients are transparent. */
  const rgba = (colour) => {
    if (!colour || colour === "none" || colour.startsWith("url(")) return [0, 0, 0, 0];
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
  const luminance = (colour) =>
    colour
      .map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const parent = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const chain = (node) => {
    const all = [];
    for (let at = node; at; at = parent(at)) all.push(at);
    return all;
  };
  const opacity = (node, end) => {
    let product = 1;
    for (let at = node; at && at !== end; at = parent(at)) product *= Number(getComputedStyle(at).opacity);
    return product;
  };
  const variables = getComputedStyle(document.documentElement);
  const paper = over(
    rgba(
      variables.getPropertyValue("--vscode-notebook-editorBackground") ||
        variables.getPropertyValue("--vscode-editor-background"),
    ),
    [255, 255, 255],
  );
  /** What is painted behind an HTML element. */
  const behind = (element) =>
    chain(element)
      .reverse()
      .reduce((under, at) => over(rgba(getComputedStyle(at).backgroundColor), under), paper);
  /** What is painted at a point of a drawing by the shapes before `text`. */
  const beneath = (svg, shapes, text, x, y) =>
    shapes.reduce((under, shape) => {
      if (!(text.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_PRECEDING)) return under;
      const box = shape.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) return under;
      const style = getComputedStyle(shape);
      const [r, g, b, a] = rgba(style.fill);
      const alpha = a * Number(style.fillOpacity) * opacity(shape, svg);
      if (alpha === 0 || !shape.isPointInFill(new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse())))
        return under;
      return over([r, g, b, alpha], under);
    }, behind(svg));

  const problems = [];
  let texts = 0;
  const visit = (root) => {
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) visit(node.shadowRoot);
    for (const figure of root.querySelectorAll(".figure")) {
      const title = figure.querySelector("h3")?.firstChild?.textContent ?? "figure";
      const report = (words, problem) => problems.push(`${title}: “${words.trim().slice(0, 60)}” ${problem}`);
      if (figure.scrollWidth > figure.clientWidth + 1) report("the figure", "is wider than its place");
      for (const element of figure.querySelectorAll("*")) {
        const words = [...element.childNodes]
          .filter((child) => child.nodeType === Node.TEXT_NODE)
          .map((child) => child.textContent)
          .join("");
        if (
          element.closest("svg") ||
          element.tagName === "STYLE" ||
          words.trim() === "" ||
          element.matches(":disabled") ||
          element.getClientRects().length === 0
        )
          continue;
        texts++;
        const style = getComputedStyle(element);
        const under = behind(element);
        const [r, g, b, a] = rgba(style.color);
        const found = ratio(over([r, g, b, a * opacity(element, null)], under), under);
        if (found < least) report(words, `has a contrast of ${found.toFixed(2)}`);
      }
      for (const svg of figure.querySelectorAll("svg.marks")) {
        const frame = svg.getBoundingClientRect();
        const shapes = [...svg.querySelectorAll("path, rect, circle")];
        const seen = [];
        for (const text of svg.querySelectorAll("text")) {
          const words = text.textContent;
          const strength = opacity(text, svg);
          if (words.trim() === "" || strength === 0) continue;
          texts++;
          const box = text.getBoundingClientRect();
          if (
            box.left < frame.left - 1 ||
            box.right > frame.right + 1 ||
            box.top < frame.top - 1 ||
            box.bottom > frame.bottom + 1
          )
            report(words, "is cut by the edge of the drawing");
          const style = getComputedStyle(text);
          const [r, g, b, a] = rgba(style.fill);
          const found = Math.min(
            ...[0.1, 0.5, 0.9].map((part) => {
              const under = beneath(svg, shapes, text, box.left + part * box.width, box.top + box.height / 2);
              return ratio(over([r, g, b, a * Number(style.fillOpacity) * strength], under), under);
            }),
          );
          if (found < least) report(words, `has a contrast of ${found.toFixed(2)}`);
          // Boxes of text reach a little beyond the letters.
          for (const other of seen) {
            const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
            const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
            if (across > 2 && down > 4) report(words, `lies over “${other.words}”`);
          }
          seen.push({ words, box });
        }
      }
    }
  };
  visit(document);
  return { texts, problems };
}

const [WIDTH, LINE, LEFT, TOP] = [900, 18, 20, 52];

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A terminal with a command and its output as an SVG of text, with a background of its own: readable on light and dark pages. */
export function terminalSvg(command: string, output: string): string {
  const lines = output.trimEnd().split('\n');
  const height = TOP + LINE * (lines.length + 1);
  const text = (line: string, at: number, colour: string) =>
    `<text x="${LEFT}" y="${TOP + LINE * at}" fill="${colour}">${escaped(line)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
    `<rect width="${WIDTH}" height="${height}" rx="8" fill="#0d1117" stroke="#6e7681"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (colour, at) => `<circle cx="${LEFT + 4 + 20 * at}" cy="18" r="6" fill="${colour}"/>`,
    ),
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">',
    text(`$ ${command}`, 0, '#7ee787'),
    ...lines.map((line, at) => text(line, at + 1, /^ *\d+\. /.test(line) ? '#e6edf3' : '#8b949e')),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

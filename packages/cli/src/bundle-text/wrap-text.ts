/** Breaks a line at blanks, and where there are none within a width. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = [...word];
    const joined = line === '' ? word : `${line} ${word}`;
    if ([...joined].length <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line.trimEnd());
    for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width).join(''));
    line = rest.join('');
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

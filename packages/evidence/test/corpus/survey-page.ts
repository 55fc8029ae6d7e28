import type { Row, Survey } from './survey.ts';

const TEXT_CHARS_MAX = 4000;

/** One page that needs nothing else and runs nothing: what the events say is hostile. */
export function surveyPage({ rows, unread, fused, split, ungrouped, keyCount }: Survey): string {
  const groups = [...Map.groupBy(rows, ({ key }) => key)].sort(([, a], [, b]) => b.length - a.length);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>How a folder is read</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 90rem; color-scheme: light dark }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .2rem .6rem; border-bottom: 1px solid #8884 }
td { overflow-wrap: anywhere } pre { white-space: pre-wrap; overflow-wrap: anywhere } .bad { color: #c33 } code, pre { font-size: 12px }
</style>
<h1>How a folder is read</h1>
<p>${rows.length} events, ${keyCount} keys; ${unread.length} stacks not read, ${fused.length} keys that fuse, ${split.length} causes that split, ${ungrouped.length} events of types that are not grouped.</p>
${list(
  'Not read',
  unread.map(({ name }) => name),
)}
${list(
  'Fused',
  fused.map(({ key, truths }) => `${key}: ${truths.join(' + ')}`),
)}
${list(
  'Split',
  split.map(({ truth, keys }) => `${truth}: ${keys.join(', ')}`),
)}
<h2>By key</h2>
${groups.map(([key, members]) => group(key, members)).join('\n')}
</html>
`;
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `<h2 class="bad">${title}</h2>\n<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`;
}

function group(key: string, rows: readonly Row[]): string {
  const body = rows.map(({ name, reading, frame, isUnread }) => {
    const { reader, type, title, frameCount, lineCount, text } = reading;
    const cells = [reader, type, title, frame, `${frameCount} / ${lineCount}`].map(
      (cell) => `<td>${escaped(cell)}</td>`,
    );
    const source = `<details><summary>${escaped(name)}</summary><pre>${escaped(text.slice(0, TEXT_CHARS_MAX))}</pre></details>`;
    return `<tr${isUnread ? ' class="bad"' : ''}><td>${source}</td>${cells.join('')}</tr>`;
  });
  return `<h3><code>${escaped(key)}</code> ${rows.length}</h3>
<table><tr><th>File<th>Reader<th>Type<th>Title<th>First frame<th>Frames / lines</tr>
${body.join('\n')}</table>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}

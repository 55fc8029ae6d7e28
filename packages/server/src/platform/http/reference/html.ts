/** Markup that is safe to send. Only `html` and `joinHtml` make it; everything put into it is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insert = string | number | Html;

/** A template whose inserts are escaped unless they are markup already. */
export function html(parts: TemplateStringsArray, ...inserts: Insert[]): Html {
  let text = parts[0] ?? '';
  for (const [index, insert] of inserts.entries()) {
    text += (insert instanceof Html ? insert.text : escapeHtml(String(insert))) + (parts[index + 1] ?? '');
  }
  return new Html(text);
}

export function joinHtml(items: readonly Html[], separator = ''): Html {
  return new Html(items.map((item) => item.text).join(escapeHtml(separator)));
}

/** Safe as text and inside a quoted attribute. */
function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

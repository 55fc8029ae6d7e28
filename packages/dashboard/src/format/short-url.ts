const TAIL_LENGTH = 4;

/** An address that is as good as a secret, as far as it may be shown: its host and its last characters. */
export function shortUrl(text: string): string {
  if (!URL.canParse(text)) return text.length <= TAIL_LENGTH ? text : `…${text.slice(-TAIL_LENGTH)}`;
  const { protocol, host, pathname, search } = new URL(text);
  const rest = `${pathname}${search}`;
  return rest.length <= TAIL_LENGTH + 4
    ? `${protocol}//${host}${rest}`
    : `${protocol}//${host}/…${rest.slice(-TAIL_LENGTH)}`;
}

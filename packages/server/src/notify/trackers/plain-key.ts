/**
 * Reduces what a person copies from a tracker to the key or the plain address of the ticket: without the place in the
 * page, and without the folder in which an own server is. A board of Jira names its ticket in the query.
 */
export function plainKey(text: string, baseUrl: string): string {
  const address = URL.parse(text);
  if (address === null || !/^https?:$/.test(address.protocol)) return text;
  const selected = address.searchParams.get('selectedIssue');
  if (selected !== null) return selected;
  const folder = URL.parse(baseUrl)?.pathname.replace(/\/$/, '') ?? '';
  const path = address.pathname.replace(/\/$/, '');
  return address.origin + (path.startsWith(`${folder}/`) ? path.slice(folder.length) : path);
}

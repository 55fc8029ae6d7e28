/** Returns true if a `Content-Type` names JSON; parameters are allowed and ignored, the body is UTF-8 in any case. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase() === 'application/json';
}

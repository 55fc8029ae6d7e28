/** Puts text on the clipboard, without a final line break, so that nothing runs by itself where it is pasted. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text.replace(/\n+$/, ''));
    return true;
  } catch {
    return false;
  }
}

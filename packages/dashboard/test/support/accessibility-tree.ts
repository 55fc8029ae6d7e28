import type { Page } from 'playwright-core';

/** What assistive programs are told of a page, as Chromium tells them. */
interface AccessibleNode {
  role: string;
  name: string;
  /** `polite` or `assertive` where changes are read out. */
  live: string | null;
  isFocused: boolean;
}

export async function accessibilityTree(page: Page): Promise<AccessibleNode[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    return nodes
      .filter(({ ignored }) => !ignored)
      .map(({ role, name, properties = [] }) => {
        const property = (wanted: string) => properties.find((each) => each.name === wanted)?.value.value;
        const live: unknown = property('live');
        return {
          role: String(role?.value ?? ''),
          name: String(name?.value ?? ''),
          live: typeof live === 'string' ? live : null,
          isFocused: property('focused') === true,
        };
      });
  } finally {
    await session.detach();
  }
}

/** What has the focus, as role and name; the page itself is left out, which has it together with what is in it. */
export async function focusOf(page: Page): Promise<string> {
  const focused = (await accessibilityTree(page)).filter(
    ({ isFocused, role }) => isFocused && role !== 'RootWebArea',
  );
  return focused.map(({ role, name }) => `${role} ${name}`).join(', ');
}

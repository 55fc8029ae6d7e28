/** As much of a document as the shop's page needs: elements with handlers, text and form fields. */
export interface PageDocument {
  querySelector(selector: string): PageElement | null;
}

export interface PageElement {
  textContent: string;
  elements: { name: string; value: string }[];
  addEventListener(type: string, handler: PageHandler): void;
}

export interface PageEvent {
  type: string;
  target: PageElement;
  preventDefault(): void;
}

export type PageHandler = (event: PageEvent) => unknown;

/** Makes a document of the ids in the page's HTML, and a way to let an event happen on an element. */
export function createDocument(html: string): {
  document: PageDocument;
  dispatch(selector: string, type: string): Promise<void>;
} {
  const elements = new Map<string, PageElement>();
  const handlers = new Map<string, PageHandler[]>();
  for (const [, id = ''] of html.matchAll(/\bid="([\w-]+)"/g)) {
    elements.set(`#${id}`, {
      textContent: '',
      elements: [],
      addEventListener(type, handler) {
        const key = `${type} #${id}`;
        handlers.set(key, [...(handlers.get(key) ?? []), handler]);
      },
    });
  }
  return {
    document: { querySelector: (selector) => elements.get(selector) ?? null },
    async dispatch(selector, type) {
      const target = elements.get(selector);
      if (target === undefined) throw new Error(`the page has no ${selector}`);
      for (const handler of handlers.get(`${type} ${selector}`) ?? []) {
        await handler({ type, target, preventDefault() {} });
      }
    },
  };
}

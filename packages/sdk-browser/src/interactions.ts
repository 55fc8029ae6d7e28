import { listen, replace, together, type Undo } from './replace.ts';
import { selectorOf } from './selector.ts';

type AddBreadcrumb = (type: string, data: Record<string, unknown>) => void;

/** Clicks and sent forms, by where they happened; never text or values. */
export function watchInteractions(add: AddBreadcrumb): Undo {
  return together(
    listen(document, 'click', (event) => {
      const target = event.composedPath()[0];
      if (target instanceof Element) add('click', { selector: selectorOf(target) });
    }),
    listen(document, 'submit', ({ target }) => {
      if (target instanceof HTMLFormElement) {
        add('form_submit', { form: selectorOf(target), field_count: target.elements.length });
      }
    }),
  );
}

/** Changes of the path, by whatever the page's router does. */
export function watchNavigation(add: AddBreadcrumb): Undo {
  let path = location.pathname;
  const notice = () => {
    const to = location.pathname;
    if (to !== path) add('route_change', { from: path, to, route: to });
    path = to;
  };
  // On the object itself it would hide what other code puts on the prototype later.
  const owner = Object.keys(history)[0] ? history : History.prototype;
  return together(
    replace(owner, 'pushState', () => notice),
    replace(owner, 'replaceState', () => notice),
    listen(window, 'popstate', notice),
  );
}

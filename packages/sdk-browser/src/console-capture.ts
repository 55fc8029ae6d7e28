import type { Page } from './loaded-page.ts';
import type { Integration } from './options.ts';
import { replace, together } from './replace.ts';

/** Lines of `console.error` and `console.warn` in the trail of exceptions. */
export function consoleCapture(): Integration {
  return (page: Page) => {
    let isInside = false;
    const watch = (name: 'error' | 'warn', level: string) =>
      replace(console, name, (_self, args) => {
        const [first] = args;
        if (isInside || (typeof first === 'string' && first.startsWith('[culprit]'))) return;
        isInside = true;
        try {
          const cleaner = page.startCleaner();
          const texts = args.map((value) => {
            const cleaned = cleaner.value(value);
            return typeof cleaned === 'string' ? cleaned : JSON.stringify(cleaned);
          });
          page.breadcrumb?.({
            type: 'console_log',
            level,
            data: { message: texts.join(' '), source: 'console' },
          });
        } finally {
          isInside = false;
        }
      });
    return together(watch('error', 'error'), watch('warn', 'warning'));
  };
}

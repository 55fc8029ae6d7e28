import type { HtmlTagDescriptor, Plugin } from 'vite';

/** The one font that everything before the first screen is set in. */
const FONT = /ibm-plex-sans-latin-wght-normal-[\w-]+\.woff2$/;

/** Asks for the font together with the style sheet that names it, so that text rarely changes its face. */
export function earlyFont(): Plugin {
  return {
    name: 'culprit-early-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }): HtmlTagDescriptor[] {
        const name = Object.keys(bundle).find((each) => FONT.test(each));
        if (name === undefined) throw new Error('the font of the interface is not in the build');
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${name}` };
        return [{ tag: 'link', attrs, injectTo: 'head-prepend' }];
      },
    },
  };
}

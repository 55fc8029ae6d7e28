import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { bundleMarkdown } from '../../bundle-text/bundle-markdown.ts';
import { bundleScreen } from '../../bundle-text/bundle-screen.ts';
import { BUNDLE_SECTIONS, type BundleSection } from '../../bundle-text/bundle-sections.ts';
import { usageError } from '../../cli-error.ts';
import type { Context } from '../../context.ts';
import type { Input } from '../../input.ts';
import { severityStyle } from '../incidents/columns.ts';

type BundleForm = 'text' | 'markdown' | 'json';

/** A bundle as text for a screen or as Markdown, by the flags of `bundle`. */
export async function bundlePage(
  { terminal, globals }: Context,
  input: Input,
  shown: {
    incident: Incident;
    bundle: DebugBundle;
    form: 'text' | 'markdown';
    sections: BundleSection[] | null;
    /** The URL of the line in the repository; null if it is unknown. */
    codeUrl: string | null;
    next: { reproduce: string; resolve: string };
  },
): Promise<string> {
  const { incident, bundle, form, sections, codeUrl, next } = shown;
  const tokensMax = input.number('max-tokens');
  const isRaw = input.has('raw');
  if (form !== 'markdown' && (tokensMax !== null || isRaw))
    throw usageError('--max-tokens and --raw work only with --markdown.');
  if (tokensMax !== null && sections !== null)
    throw usageError('--section and --max-tokens cannot be combined.');
  if (tokensMax !== null) {
    const { budgetedMarkdown } = await import('../../bundle-text/budgeted-markdown.ts');
    return budgetedMarkdown(incident, bundle, { tokensMax, isRaw, codeUrl });
  }
  if (form === 'markdown') {
    if (isRaw) return bundleMarkdown(incident, bundle, sections, codeUrl);
    const { sharedForm } = await import('@culprit/evidence/bundles/sharing/shared-form');
    return bundleMarkdown(...sharedForm(incident, bundle), sections, codeUrl);
  }
  const isFile = input.has('output');
  const style = (name: 'dim' | 'bold') => (text: string) => (isFile ? text : terminal.style(name, text));
  const lines = bundleScreen(incident, bundle, {
    width: terminal.width,
    nowMs: Date.now(),
    isFull: input.has('full'),
    isLocalTime: globals.localTime,
    sections,
    next,
    dim: style('dim'),
    strong: style('bold'),
    severity: (text) => (isFile ? text : severityStyle(terminal, incident.severity, text)),
  });
  return `${lines.join('\n')}\n`;
}

export function bundleForm({ globals }: Context, input: Input): BundleForm {
  if (globals.json) return 'json';
  if (input.has('markdown')) return 'markdown';
  return input.choice('format', ['text', 'markdown', 'json']) ?? 'text';
}

export function bundleSections(input: Input): BundleSection[] | null {
  const named = input.text('section')?.split(',') ?? null;
  if (named === null) return null;
  return named.map((name) => {
    const section = BUNDLE_SECTIONS.find((each) => each === name.trim());
    if (section === undefined) {
      throw usageError(`There is no section "${name}".`, `the sections are ${BUNDLE_SECTIONS.join(', ')}`);
    }
    return section;
  });
}

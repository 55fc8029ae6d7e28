import type { DebugBundle } from '@culprit/contract/bundle';
import { useState } from 'react';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { appearance } from '../shell/appearance.ts';
import { EDITORS, type Editor, editorLink, readEditor } from '../shell/editor.ts';
import link from '../shell/link.module.css';
import { CodeBlock } from '../ui/code-block.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Section } from '../ui/section.tsx';
import { useSignal } from '../ui/signal.ts';
import { type Frame, framesOf, groupFrames } from './frames.ts';
import styles from './stack.module.css';

const VIEWS = { own: 'Own frames', all: 'All', sent: 'As sent' } as const;
type View = keyof typeof VIEWS;

/** Where it broke: own frames first to the eye, the exact text on request, causes below their effect. */
export function Stack({ bundle }: { bundle: DebugBundle }) {
  const [view, setView] = useState<View>('own');
  const { editor: stored } = useSignal(appearance);
  const { error, error_chain: chain } = bundle.context;
  if (error === null || error.stack === 'unavailable') return null;
  const frames = framesOf(bundle);
  const { git, deploy } = bundle.context;
  const opener = { editor: readEditor(stored), commit: git?.commit ?? deploy?.commit_sha ?? null };
  const causes = (chain?.items ?? []).slice(1);
  return (
    <Section
      id="stack"
      title="Stack"
      actions={
        <>
          {frames.length > 0 && (
            <fieldset className={styles.views}>
              <legend className="visually-hidden">Frames</legend>
              {(['own', 'all', 'sent'] as const).map((each) => (
                <label key={each}>
                  <input type="radio" name="frames" checked={view === each} onChange={() => setView(each)} />
                  <span>{VIEWS[each]}</span>
                </label>
              ))}
            </fieldset>
          )}
          <CopyButton text={error.stack} label="Copy" />
        </>
      }
    >
      {view === 'sent' || frames.length === 0 ? (
        <CodeBlock code={error.stack} label="stack as sent">
          {visibleText(error.stack)}
        </CodeBlock>
      ) : (
        <Frames frames={frames} isFolded={view === 'own'} opener={opener} />
      )}
      {causes.map(({ type, message, top_frames: top }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: causes stand in the order of their effect
        <div key={index} className={styles.cause}>
          <h3 dir="auto" translate="no">
            Caused by {visibleLine(type)}: {visibleLine(message)}
          </h3>
          <ul className={styles.frames}>
            {top.map((place) => (
              <li key={place} className={styles.frame}>
                <code>{visibleLine(place)}</code>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Section>
  );
}

/** Where a place opens, and at which commit. */
interface Opener {
  editor: Editor | null;
  commit: string | null;
}

function Frames({
  frames,
  isFolded,
  opener,
}: {
  frames: readonly Frame[];
  isFolded: boolean;
  opener: Opener;
}) {
  if (!isFolded) {
    return (
      <ol className={styles.frames}>
        {frames.map((frame, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames stand in their order
          <FrameLine key={index} frame={frame} opener={opener} />
        ))}
      </ol>
    );
  }
  return (
    <ol className={styles.frames}>
      {groupFrames(frames).map((group, index) =>
        group.kind === 'own' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames stand in their order
          <FrameLine key={index} frame={group.frame} opener={opener} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames stand in their order
          <li key={index}>
            <details className={styles.fold}>
              <summary>{plural(group.frames.length, 'library frame')}</summary>
              <ol>
                {group.frames.map((frame, inner) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: frames stand in their order
                  <FrameLine key={inner} frame={frame} opener={opener} />
                ))}
              </ol>
            </details>
          </li>
        ),
      )}
    </ol>
  );
}

function FrameLine({ frame, opener: { editor, commit } }: { frame: Frame; opener: Opener }) {
  const href = editorLink(editor, frame.place, commit);
  return (
    <li className={styles.frame} data-own={frame.isOwn} title={visibleLine(frame.place)} translate="no">
      <code className={styles.function}>{visibleLine(frame.function)}</code>
      <code className={styles.place}>
        {href === null || editor === null ? (
          visibleLine(frame.shortPlace)
        ) : (
          <a
            className={link.link}
            href={href}
            rel="noreferrer noopener"
            title={`Open in ${EDITORS[editor.kind]}`}
          >
            {visibleLine(frame.shortPlace)}
          </a>
        )}
      </code>
      <span className={styles.copy}>
        <CopyButton isIcon text={frame.place} label="Copy the place" />
      </span>
    </li>
  );
}

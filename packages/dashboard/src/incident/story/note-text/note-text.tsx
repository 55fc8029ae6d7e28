import { createElement, Fragment, type ReactNode } from 'react';
import { visibleText } from '../../../format/event-text.ts';
import styles from './note-text.module.css';
import { type Block, type ListItem, readBlocks } from './read-blocks.ts';
import { type Inline, readInline } from './read-inline.ts';

/** The text of a note: a subset of Markdown as elements, never as HTML. */
export function NoteText({ text }: { text: string }) {
  return <div className={styles.text}>{together(readBlocks(visibleText(text)).map(blockOf))}</div>;
}

function blockOf(block: Block): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p dir="auto">{inlineOf(block.text)}</p>;
    case 'code':
      return (
        <pre translate="no">
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return <blockquote>{together(block.blocks.map(blockOf))}</blockquote>;
    case 'list':
      return listOf(block.items);
  }
}

/** A list of the kind of its first item. Items that are deeper than the one before are a list within it. */
function listOf(items: readonly ListItem[]): ReactNode {
  const [first] = items;
  if (first === undefined) return null;
  const starts = items.flatMap(({ depth }, at) => (at === 0 || depth <= first.depth ? [at] : []));
  const shown = together(starts.map((start, at) => itemOf(items.slice(start, starts[at + 1]))));
  return first.number === null ? <ul>{shown}</ul> : <ol start={first.number}>{shown}</ol>;
}

function itemOf([item, ...deeper]: readonly ListItem[]): ReactNode {
  return (
    <li dir="auto">
      {inlineOf(item?.text ?? '')}
      {listOf(deeper)}
    </li>
  );
}

function inlineOf(text: string): ReactNode {
  return together(readInline(text).map(partOf));
}

function partOf(part: Inline): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return <code translate="no">{part.text}</code>;
    case 'emphasis':
      return <em>{together(part.parts.map(partOf))}</em>;
    case 'strong':
      return <strong>{together(part.parts.map(partOf))}</strong>;
    case 'link':
      return (
        <>
          <a href={part.href} target="_blank" rel="noopener noreferrer nofollow">
            {part.text}
          </a>
          {part.host === null ? null : <span translate="no"> ({part.host})</span>}
        </>
      );
  }
}

/** Parts that have no identity but their place, so that they need no keys. */
function together(parts: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...parts);
}

import { codeLocation } from '../dotnet-stack.ts';
import type { ParsedFrame } from '../parsed-stack.ts';
import { type FrameForm, type FrameParts, plainFrame } from './frame-form.ts';

const DART_LIBRARY =
  /^(?:dart:|dart-sdk\/|org-dartlang-\w+:|package[:s]\/?(?:flutter|flutter_\w+|async|collection|http|dio|provider|riverpod|bloc|test|test_api|stack_trace|meta|path|rxdart|get)\/)/;

function dartFrame(parts: FrameParts): ParsedFrame {
  const name = parts.fn
    .replace(/\.?<(?:anonymous closure|fn)>/g, '')
    .replace(/^new /, '')
    .replace(/^_(?=[A-Z])/, '');
  return plainFrame(
    { ...parts, file: parts.file.replace(/^package(?::|s\/)/, '') },
    { module: '', function: name, inApp: !DART_LIBRARY.test(parts.file) },
  );
}

const UNITY_LIBRARY = /^(?:UnityEngine|UnityEditor|System|Mono|Microsoft|TMPro|Unity)\./;

function monoFrame(parts: FrameParts): ParsedFrame {
  const place = codeLocation(parts.fn.replace(/:/g, '.'));
  const file = /^<[0-9a-f]{6,64}>$|^<filename unknown>$/.test(parts.file) ? '' : parts.file;
  return plainFrame({ ...parts, file }, { ...place, inApp: !UNITY_LIBRARY.test(`${place.module}.`) });
}

/** Dart, Flutter, Mono and Unity. */
export const APP_FORMS: readonly FrameForm[] = [
  {
    language: 'dart',
    mark: ':',
    pattern:
      /^\s*#\d{1,4}\s{1,8}(?<fn>[^\s(][^(]{0,300}?) \((?<file>(?:package|dart|file|org-dartlang-[a-z]{1,12}):[^():\s]{1,400})(?::(?<line>\d{1,9}))?(?::(?<col>\d{1,9}))?\)\s*$/,
    toFrame: dartFrame,
  },
  {
    language: 'dart',
    mark: ':',
    pattern:
      /^\s*(?<file>(?:(?:package|dart|org-dartlang-[a-z]{1,12}):|packages\/|dart-sdk\/)[^\s]{1,300}) (?<line>\d{1,9}):(?<col>\d{1,9}) {1,80}(?<fn>[^\s].{0,300})$/,
    toFrame: dartFrame,
  },
  {
    language: 'dotnet',
    mark: '] in ',
    pattern:
      /^\s*at (?<fn>[\w.<>`+$:|[\],]{1,400}) ?\([^()]{0,600}\) ?\[0x[0-9a-f]{1,16}\] in (?<file>(?:[A-Za-z]:)?[^:]{1,300}):(?<line>\d{1,9})\s*$/,
    toFrame: monoFrame,
  },
  {
    language: 'dotnet',
    mark: '(at ',
    pattern:
      /^\s*(?:\(wrapper [\w-]{1,40}\) )?(?<fn>[A-Za-z_][\w.<>`+$]{0,300}[:.][\w<>.]{1,200}) ?\([^()]{0,400}\) ?\(at (?<file>[^():]{1,300}):(?<line>\d{1,9})\)\s*$/,
    toFrame: monoFrame,
  },
];

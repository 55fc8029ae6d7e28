import type { ParsedFrame } from '../parsed-stack.ts';
import { isVendorPath } from '../vendor-path.ts';
import { type FrameForm, type FrameParts, plainFrame, splitName } from './frame-form.ts';

const ELIXIR_LIBRARY =
  /^(?:elixir|stdlib|kernel|ecto\w*|phoenix\w*|plug\w*|cowboy\w*|ranch|mix|ex_unit|logger|postgrex|db_connection|oban|absinthe|bandit|thousand_island|erts|compiler|jason|finch|mint|tesla)$/;

function elixirFrame(parts: FrameParts): ParsedFrame {
  const name = parts.fn
    .replace(/^(?:anonymous fn\/\d{1,3} in )+/, '')
    .replace(/\/\d{1,3}$/, '')
    .replace(/^-|-fun-\d+-$|-(?:l|b)c\$\^\d+\/\d+-\d+-$/g, '')
    .replace(/\(.*$/, '');
  const { owner, last } = splitName(name.includes(':') ? name.replace(':', '.') : name, '.');
  const inApp = !ELIXIR_LIBRARY.test(parts.mod) && !/^\/?deps\/|\/deps\/|\/lib\/erlang\//.test(parts.file);
  return plainFrame(parts, { module: owner, function: last, inApp });
}

function namedFrame(separator: string, library: RegExp) {
  return (parts: FrameParts): ParsedFrame => {
    const { owner, last } = splitName(parts.fn, separator);
    const inApp = !library.test(parts.file) && !isVendorPath(parts.file);
    return plainFrame(parts, { module: owner, function: last, inApp });
  };
}

const fileFrame = (library: RegExp) => (parts: FrameParts) =>
  plainFrame(parts, {
    module: '',
    function: parts.fn,
    inApp: !library.test(parts.file) && !isVendorPath(parts.file),
  });

/** Versions of Lua differ about the table in front of a function: `cart:add`, `cart.add`, `add`. */
function luaName(name: string): string {
  return name.slice(1 + Math.max(name.lastIndexOf('.'), name.lastIndexOf(':'))) || name;
}

const NO_LIBRARY = /^$/;
const R_LIBRARY =
  /^(?:base|stats|utils|methods|rlang|vctrs|dplyr|purrr|tibble|tidyr|ggplot2|magrittr|cli|shiny|promises|testthat)$/;

function symfonyFrame(parts: FrameParts): ParsedFrame {
  const split = /->|::/.exec(parts.fn);
  const owner = split === null ? '' : parts.fn.slice(0, split.index).replace(/^\\/, '');
  const name = split === null ? parts.fn : parts.fn.slice(split.index + 2);
  const inApp =
    !/(?:^|[\\/])vendor[\\/]/.test(parts.file) && !/^(?:Symfony|Doctrine|Twig|Illuminate)\\/.test(owner);
  return plainFrame(parts, { module: owner, function: name.includes('{closure') ? '' : name, inApp });
}

/** Languages of scripts, and the Erlang family. */
export const SCRIPT_FORMS: readonly FrameForm[] = [
  {
    language: 'elixir',
    mark: ': ',
    pattern:
      /^\s*(?:\((?<mod>[\w-]{1,80})(?: [\w.+-]{1,40})?\) )?(?<file>[^\s:()]{1,300}\.(?:exs?|erl|l?eex|heex)):(?<line>\d{1,9}): (?<fn>\S.{0,300})$/,
    toFrame: elixirFrame,
  },
  {
    language: 'elixir',
    mark: ', line ',
    pattern:
      /^\s*(?:in (?:function|call from)|called (?:as|from))\s{1,4}(?<fn>[^\s(]{1,200}) \((?<file>[^,()]{1,300}), line (?<line>\d{1,9})\)\s*$/,
    toFrame: elixirFrame,
  },
  {
    language: 'php',
    mark: 'at ',
    pattern:
      /^\s*at (?<fn>[\w\\]{1,200}(?:(?:->|::)(?:\w{1,100}|\{closure[^()]{0,100}\}))?|\{closure[^()]{0,100}\})\([^()]{0,200}(?:\([^()]{0,100}\)[^()]{0,200}){0,5}\)\s*(?:(?:\(|in )(?<file>[^\s():]{1,300}\.php)(?::| line )(?<line>\d{1,9})\)?)?\s*$/,
    place: /^\s+\((?<file>[^\s():]{1,300}\.php):(?<line>\d{1,9})\)\s*$/,
    toFrame: symfonyFrame,
  },
  {
    language: 'crystal',
    mark: '.cr:',
    pattern:
      /^\s*(?:from )?(?<file>[^\s:]{1,300}\.cr):(?<line>\d{1,9}):(?<col>\d{1,9}) in '(?<fn>[^']{1,200})'\s*$/,
    toFrame: namedFrame('#', /(?:^|\/)(?:lib|crystal)\//),
  },
  {
    language: 'perl',
    mark: ' called at ',
    pattern:
      /^\s*(?<fn>[A-Za-z_][\w:]{0,200})(?:\(.{0,500}\))? called at (?<file>[^\s]{1,300}) line (?<line>\d{1,9})\.?\s*$/,
    isCallSite: true,
    toFrame: namedFrame('::', /\/(?:usr|perl5?)\/(?:share|lib|local)\//),
  },
  {
    language: 'lua',
    mark: ' in ',
    pattern:
      /^\s*(?<file>\[C\]|[^\s:]{1,300}\.lua|\[string "[^"]{1,100}"\]|\.{3}[^\s:]{1,300}):(?:(?<line>\d{1,9}):)? in (?:(?:upvalue|local|method|field|function|global|main) ){0,3}'?(?<fn>[^'\s]{1,200}|chunk)'?\s*$/,
    toFrame: (parts) =>
      plainFrame(parts, {
        module: parts.file === '[C]' ? '[C]' : '',
        function: parts.fn === 'chunk' ? '<main>' : parts.fn.startsWith('<') ? '' : luaName(parts.fn),
        inApp: parts.file !== '[C]' && !/\/(?:share|lib)\/lua\//.test(parts.file),
      }),
  },
  {
    language: 'powershell',
    mark: ': line ',
    pattern:
      /^(?:ScriptStackTrace\s{1,8}: |\s*)at (?<fn>[^,]{1,200}), (?<file>(?:[A-Za-z]:[^:]{1,300}|[^:]{1,300})): line (?<line>\d{1,9})\s*$/,
    toFrame: (parts) =>
      plainFrame(parts, {
        module: '',
        function: parts.fn === '<ScriptBlock>' ? '' : parts.fn,
        inApp: !/[\\/]Modules[\\/]/.test(parts.file),
      }),
  },
  {
    language: 'powershell',
    mark: '.ps',
    isSpare: true,
    // PowerShell 7, above the line of code.
    pattern: /^[A-Za-z][\w-]{0,100}: (?<file>(?:[A-Za-z]:)?[^:]{1,300}\.psm?1):(?<line>\d{1,9})\s*$/,
    toFrame: (parts) =>
      plainFrame(parts, { module: '', function: '', inApp: !/[\\/]Modules[\\/]/.test(parts.file) }),
  },
  {
    // Above the frames: `At C:\\srv\\cart.ps1:12 char:5`, which is the place of the first of them.
    language: 'powershell',
    mark: ' char:',
    isSpare: true,
    pattern: /^At (?<file>(?:[A-Za-z]:)?[^:]{1,300}):(?<line>\d{1,9}) char:\d{1,9}\s*$/,
    toFrame: (parts) =>
      plainFrame(parts, { module: '', function: '', inApp: !/[\\/]Modules[\\/]/.test(parts.file) }),
  },
  {
    language: 'julia',
    mark: '[',
    pattern:
      /^\s*\[\d{1,4}\] (?<fn>[^\s(]{1,200})(?:\(.{0,500}\))?(?: at (?<file>[^\s:]{1,300}):(?<line>\d{1,9}))?\s*$/,
    place: /^\s+@ (?:(?<mod>[\w.]{1,80}) )?(?<file>[^\s:]{1,300}):(?<line>\d{1,9})\s*(?:\[inlined\])?$/,
    toFrame: (parts) =>
      plainFrame(parts, {
        module: '',
        function: parts.fn,
        inApp:
          parts.mod !== 'Base' &&
          parts.mod !== 'Core' &&
          !/\/(?:stdlib|packages)\//.test(parts.file) &&
          // Files of Base have no directory.
          (parts.mod !== '' || !/^\.\/\w{1,60}\.jl$/.test(parts.file)),
      }),
  },
  {
    language: 'haskell',
    mark: ', called at ',
    isNamedByNext: true,
    pattern:
      /^\s*(?<fn>[^\s,]{1,200}), called at (?<file>[^\s:]{1,300}\.l?hs):(?<line>\d{1,9}):(?<col>\d{1,9}) in (?<mod>[^\s:]{1,100})(?::\S{1,200})?\s*$/,
    toFrame: (parts) =>
      plainFrame(parts, {
        module: '',
        function: parts.fn,
        inApp:
          !/^(?:base|ghc-prim|ghc-internal|bytestring|containers|text|transformers|mtl|unordered-containers|vector|aeson|warp|wai|servant[\w-]*|conduit[\w-]*|persistent[\w-]*|yesod[\w-]*)(?:-\d|$)/.test(
            parts.mod,
          ),
      }),
  },
  {
    language: 'r',
    mark: ': ',
    isNamedByNext: true,
    pattern:
      /^\s*\d{1,4}: (?<fn>[A-Za-z.][\w.:$]{0,200})\(.{0,500}\)(?: at (?<file>[^\s#]{1,300})#(?<line>\d{1,9}))?\s*$/,
    toFrame: fileFrame(NO_LIBRARY),
  },
  {
    // The tree of rlang.
    language: 'r',
    mark: '. ',
    pattern:
      /^\s*\d{1,4}\. (?:[│| ]{0,60}(?:[├└]─|[+\\]-))?(?:global )?(?<fn>(?:[A-Za-z.][\w.]{0,100}:{2,3})?(?:[A-Za-z.][\w.$]{0,200}|`[^`]{1,60}`))\(.{0,500}?\)(?: at (?<file>[^\s:]{1,300}):(?<line>\d{1,9})(?::(?<col>\d{1,9}))?)?\s*$/,
    isReversed: true,
    toFrame: (parts) => {
      const { owner, last } = splitName(parts.fn.replace(':::', '::'), '::');
      const inApp = !R_LIBRARY.test(owner);
      return plainFrame(parts, { module: owner, function: last.replace(/`/g, ''), inApp });
    },
  },
];

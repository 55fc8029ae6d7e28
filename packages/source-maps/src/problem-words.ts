import type { MapProblem } from '@culprit/contract/releases/map-limits';

/**
 * The problem of a file in a sentence (docs/contract/source-maps.md 3.4).
 * @param detail what was found
 */
export function problemWords(problem: MapProblem, path: string, detail: string): string {
  const map = `The map of ${path}`;
  switch (problem) {
    case 'bytes_differ':
      return `The bytes of ${path} are not those that were announced. Upload again.`;
    case 'not_json':
      if (detail === 'UTF-16') return `${map} is written in UTF-16; only UTF-8 is read.`;
      if (detail === 'gzip' || detail === 'zstd')
        return `${map} is compressed (${detail}). Upload it as the build tool wrote it.`;
      return `${map} is not JSON (it begins with «${detail}»). Is it an error page, or cut off?`;
    case 'not_version_3':
      return `${map} has version ${detail}; only version 3 is read.`;
    case 'map_empty':
      return `${map} maps nothing. The build tool wrote an empty map.`;
    case 'bad_mappings':
      return `${map} cannot be read: ${detail}.`;
    case 'map_too_large':
      return `${map} is too large: ${detail}. Split the bundle, or leave library code out of the map.`;
    case 'too_heavy':
      return `${map} took too much time or memory to read. Split the bundle, or leave library code out of the map.`;
    case 'debug_ids_differ': {
      const [first = '', second = ''] = detail.split(' ');
      return `${path} and its map carry different debug ids, ${first} and ${second}: they come from two builds.`;
    }
    case 'map_not_of_file':
      return `Of the places compared, ${detail} begin inside a word: the map belongs to another version of ${path}.`;
  }
}

import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive; what is given of its directory may lie. */
export interface ArchiveEntry {
  name: string;
  bytes: Buffer;
  isStored?: boolean;
  /** In the directory. */
  claims?: { sizeBytes?: number; method?: number; flags?: number; crc?: number };
  /** The local header of the entry before it, in place of its own. */
  sharesBytes?: boolean;
}

/** A zip archive as `sentry-cli` writes it, behind the eight bytes that its bundles begin with. */
export function zipArchive(entries: readonly ArchiveEntry[], { prefix = bundlePrefix() } = {}): Buffer {
  const pieces: Buffer[] = [prefix];
  const directory: Buffer[] = [];
  let at = prefix.length;
  let latest = at;
  for (const { name, bytes, isStored = false, claims = {}, sharesBytes = false } of entries) {
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const [method, flags, crc] = [
      claims.method ?? (isStored ? 0 : 8),
      claims.flags ?? 0,
      claims.crc ?? crc32(bytes),
    ];
    const nameBytes = Buffer.from(name);
    if (!sharesBytes) {
      const local = Buffer.alloc(30);
      local.writeUInt32LE(0x04034b50, 0);
      local.writeUInt16LE(20, 4);
      local.writeUInt16LE(method, 8);
      local.writeUInt16LE(nameBytes.length, 26);
      latest = at;
      pieces.push(local, nameBytes, packed);
      at += local.length + nameBytes.length + packed.length;
    }
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(flags, 8);
    header.writeUInt16LE(method, 10);
    header.writeUInt32LE(crc, 16);
    header.writeUInt32LE(packed.length, 20);
    header.writeUInt32LE(claims.sizeBytes ?? bytes.length, 24);
    header.writeUInt16LE(nameBytes.length, 28);
    header.writeUInt32LE(latest, 42);
    directory.push(header, nameBytes);
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...pieces, directoryBytes, end]);
}

function bundlePrefix(): Buffer {
  return Buffer.from([0x53, 0x59, 0x53, 0x42, 2, 0, 0, 0]);
}

import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

// Each record: the marker, the length of the content, its checksum, the checksum of these three; then the content.
const marker = 0x464c4a31
const headerBytes = 16

/** A journal that is damaged other than by a truncated last record. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged'
}

/** Encodes a record with its header. */
export function frame(content: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(marker, 0)
  header.writeUInt32BE(content.length, 4)
  header.writeUInt32BE(crc32(content), 8)
  header.writeUInt32BE(crc32(header.subarray(0, 12)), 12)
  return Buffer.concat([header, content])
}

/**
 * Reads the records of a journal in order, and truncates an incomplete last record.
 *
 * @param handle The open file; afterwards it ends with its last complete record.
 * @param onRecord Called with the content of each record.
 * @returns Total size of the complete records in bytes.
 * @throws {@link JournalDamaged} when a damaged record is followed by others.
 */
export async function readJournal(handle: FileHandle, onRecord: (content: Buffer) => void): Promise<number> {
  const { size } = await handle.stat()
  let position = 0
  while (position < size) {
    const content = await readRecord(handle, position, size)
    if (content === undefined) break
    onRecord(content)
    position += headerBytes + content.length
  }
  if (position < size) await handle.truncate(position)
  return position
}

async function readRecord(handle: FileHandle, position: number, size: number): Promise<Buffer | undefined> {
  const rest = size - position
  const header = await readBytes(handle, position, Math.min(headerBytes, rest))
  // The file system may have extended the file before its content was written.
  if (rest < headerBytes || header.every((byte) => byte === 0)) return undefined
  if (header.readUInt32BE(0) !== marker || header.readUInt32BE(12) !== crc32(header.subarray(0, 12))) {
    throw new JournalDamaged(`the record at byte ${position} has no valid header`)
  }
  const length = header.readUInt32BE(4)
  if (headerBytes + length > rest) return undefined
  const content = await readBytes(handle, position + headerBytes, length)
  if (crc32(content) === header.readUInt32BE(8)) return content
  if (headerBytes + length === rest) return undefined
  throw new JournalDamaged(`the record at byte ${position} does not have its checksum`)
}

async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length)
  for (let read = 0; read < length;) {
    const { bytesRead } = await handle.read(buffer, read, length - read, position + read)
    if (bytesRead === 0) throw new JournalDamaged('the file became shorter while it was read')
    read += bytesRead
  }
  return buffer
}

/**
 * Writes bytes at a position; they survive a system crash once the promise resolves.
 *
 * @throws When the disk cannot store all of them.
 */
export async function writeDurably(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  // A nearly full disk stores only a part, and reports this only by the number of bytes.
  for (let written = 0; written < bytes.length;) {
    const rest = bytes.length - written
    const { bytesWritten } = await handle.write(bytes, written, rest, position + written)
    written += bytesWritten
  }
  await handle.datasync()
}

/**
 * Replaces a journal by a new one; the file at the path is complete at all times.
 *
 * @param file Path of the journal.
 * @param contents Contents of its records.
 * @returns The open file and its size in bytes.
 */
export async function replaceJournal(
  file: string,
  contents: Iterable<Buffer>,
): Promise<{ handle: FileHandle; bytes: number }> {
  const temporaryFile = `${file}.draft`
  const handle = await open(temporaryFile, 'w+')
  try {
    let bytes = 0
    for (const content of contents) {
      const record = frame(content)
      await handle.appendFile(record)
      bytes += record.length
    }
    await handle.sync()
    await rename(temporaryFile, file)
    await syncDirectory(dirname(file))
    return { handle, bytes }
  } catch (error) {
    await handle.close()
    // On a full disk, the incomplete file must not use space.
    await rm(temporaryFile, { force: true })
    throw error
  }
}

// Without this sync, the disk may still store the file under its old name.
async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open directories, and stores names without a sync.
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** A built file, ready to send. */
export interface ConsoleFile {
  readonly bytes: Buffer
  readonly type: string
  /** Omitted when the bytes are those of the file itself. */
  readonly encoding?: 'br' | 'gzip'
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

// A file name, or a file name in the folder of hashed files. No other path leads to a file.
const fileName = /^(?:assets\/)?[\w-][\w.-]*$/

const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/**
 * Returns the folder of the console: next to the bundle in the published package, or the output of its build in the
 * repository.
 */
export function consoleFolder(): string {
  const published = join(import.meta.dirname, 'console')
  return existsSync(published) ? published : join(import.meta.dirname, '../../../console/dist')
}

/**
 * Reads a file of the console, in the best encoding that the build wrote and the client accepts.
 *
 * @param folder - output of the console build
 * @param name - relative to the folder, for example `assets/index-B2x.js`
 * @param acceptEncoding - `Accept-Encoding` header of the request
 * @returns undefined when there is no such file
 */
export async function readConsoleFile(
  folder: string,
  name: string,
  acceptEncoding: string,
): Promise<ConsoleFile | undefined> {
  const type = types[extname(name)]
  if (type === undefined || !fileName.test(name)) return undefined
  const path = join(folder, name)
  for (const [encoding, ending] of encodings) {
    if (!accepts(acceptEncoding, encoding)) continue
    const bytes = await readIfPresent(path + ending)
    if (bytes) return { bytes, type, encoding }
  }
  const bytes = await readIfPresent(path)
  return bytes && { bytes, type }
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === encoding && !parameters.some((text) => /^q=0(?:\.0*)?$/.test(text))
  })
}

function readIfPresent(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return undefined
    throw error
  })
}

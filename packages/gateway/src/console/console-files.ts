import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** A built file, ready to send. All requests share its bytes. */
export interface ConsoleFile {
  readonly bytes: Buffer
  readonly type: string
  /** Strong entity tag, with its quotes. */
  readonly etag: string
  /** Omitted when the bytes are those of the file itself. */
  readonly encoding?: 'br' | 'gzip'
}

interface Content {
  readonly bytes: Buffer
  readonly etag: string
  readonly modifiedMs: number
}

interface CachedContent {
  readonly checkedAt: number
  /** Undefined when there is no such file. */
  readonly content: Promise<Content | undefined>
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

// A rebuilt console is served after this time.
const checkMs = 1_000

/**
 * Returns the folder of the console: next to the bundle in the published package, or the output of its build in the
 * repository.
 */
export function consoleFolder(): string {
  const published = join(import.meta.dirname, 'console')
  return existsSync(published) ? published : join(import.meta.dirname, '../../../console/dist')
}

/** The files of the console. Each is read once, and again when it has changed. */
export class ConsoleFiles {
  readonly #folder: string
  readonly #cached = new Map<string, CachedContent>()

  /** @param folder - output of the console build */
  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Finds a file, in the best encoding that the build wrote and the client accepts.
   *
   * @param name - relative to the folder, for example `assets/index-B2x.js`
   * @param acceptEncoding - `Accept-Encoding` header of the request
   * @returns undefined when there is no such file
   */
  async find(name: string, acceptEncoding: string): Promise<ConsoleFile | undefined> {
    const type = types[extname(name)]
    if (type === undefined || !fileName.test(name)) return undefined
    const path = join(this.#folder, name)
    for (const [encoding, ending] of encodings) {
      if (!accepts(acceptEncoding, encoding)) continue
      const content = await this.#contentOf(path + ending)
      if (content) return { bytes: content.bytes, etag: content.etag, type, encoding }
    }
    const content = await this.#contentOf(path)
    return content && { bytes: content.bytes, etag: content.etag, type }
  }

  #contentOf(path: string): Promise<Content | undefined> {
    const cached = this.#cached.get(path)
    const now = performance.now()
    if (cached && now - cached.checkedAt < checkMs) return cached.content
    // Requests that arrive meanwhile wait for the same read.
    const next: CachedContent = { checkedAt: now, content: readIfChanged(path, cached) }
    this.#cached.set(path, next)
    const remove = () => {
      if (this.#cached.get(path) === next) this.#cached.delete(path)
    }
    // Names that do not exist are unlimited.
    next.content.then((content) => content ?? remove(), remove)
    return next.content
  }
}

async function readIfChanged(path: string, cached: CachedContent | undefined): Promise<Content | undefined> {
  const before = await cached?.content
  try {
    const { mtimeMs: modifiedMs } = await stat(path)
    if (before?.modifiedMs === modifiedMs) return before
    const bytes = await readFile(path)
    return { bytes, etag: etagOf(bytes), modifiedMs }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined
    throw error
  }
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === encoding && !parameters.some((text) => /^q=0(?:\.0*)?$/.test(text))
  })
}

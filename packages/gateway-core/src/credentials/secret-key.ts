import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSecretKey, secretKeyRule } from './encryption.ts'

const fileName = 'secret.key'

/**
 * Returns the key that encrypts upstream URLs: the configured key, or else the key in the file `secret.key` in the data
 * directory, which the first start creates.
 *
 * @param configured - 64 hex digits or base64
 * @throws when the file cannot be read or written, or when the file or `configured` does not contain a valid key
 */
export async function readSecretKey(
  configured: string | undefined,
  dataDirectory: string,
): Promise<Uint8Array> {
  if (configured !== undefined) return parsed(configured, 'FAIRLEAD_SECRET_KEY')
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const file = join(dataDirectory, fileName)
  const written = await readIfExists(file)
  if (written !== undefined) return parsed(written, `The file ${file}`)
  await writeFirst(file, `${randomBytes(32).toString('base64')}\n`)
  return parsed(await readFile(file, 'utf8'), `The file ${file}`)
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

// Written to a temporary file and linked: when processes start at the same time, one of them wins, and no process reads
// an incomplete key.
async function writeFirst(file: string, text: string): Promise<void> {
  const temporaryFile = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const handle = await open(temporaryFile, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await link(temporaryFile, file).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    })
  } finally {
    await handle.close()
    await rm(temporaryFile, { force: true })
  }
}

function parsed(text: string, source: string): Uint8Array {
  const key = parseSecretKey(text.trim())
  if (key === undefined) throw new Error(`${source} must contain ${secretKeyRule}.`)
  return key
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { chooseFreePort } from './free-port.ts'

/**
 * Chooses the port of a chain: the previous one if it is free, so that the URL of the chain stays the same after every
 * start.
 *
 * @param file Where the port is stored.
 * @returns A free port on 127.0.0.1.
 */
export async function takeRememberedPort(file: string): Promise<number> {
  const remembered = existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN
  const port = await chooseFreePort(remembered > 0 && remembered < 65_536 ? remembered : undefined)
  writeFileSync(file, `${port}\n`)
  return port
}

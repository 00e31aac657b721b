import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { chooseFreePort } from './free-port.ts'

/**
 * Chooses the port of a chain: the previous one if it is free, so that the URL of the chain stays the same after every
 * start.
 *
 * @param file Where the port is stored.
 * @returns A free port on 127.0.0.1.
 */
export async function choosePort(file: string): Promise<number> {
  const previous = existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN
  const port = await chooseFreePort(previous > 0 && previous < 65_536 ? previous : undefined)
  writeFileSync(file, `${port}\n`)
  return port
}

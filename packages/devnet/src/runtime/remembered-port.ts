import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { chooseFreePort } from './free-port.ts'

/**
 * Chooses the port of a chain: the one it had before when that is free, so that what was pointed at the chain once finds
 * it there after every start.
 *
 * @param file Where the port is noted.
 * @returns A free port on 127.0.0.1.
 */
export async function takeRememberedPort(file: string): Promise<number> {
  const remembered = existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN
  const port = await chooseFreePort(remembered > 0 && remembered < 65_536 ? remembered : undefined)
  writeFileSync(file, `${port}\n`)
  return port
}

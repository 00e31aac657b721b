import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Folder of the built site. */
export const site: string = resolve(import.meta.dirname, '../.vitepress/dist')

/** All files of the built site, relative to its folder. */
export const files: readonly string[] = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter(
  (file) => statSync(join(site, file)).isFile(),
)

/** Returns the text of a file of the built site. */
export function read(file: string): string {
  return readFileSync(join(site, file), 'utf8')
}

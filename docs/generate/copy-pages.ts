import { cp, mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { copiedPages, repository } from '../.vitepress/copied-pages.ts'

/** Copies files outside the documentation, such as those that packages are published with, to their places on the site. */
export async function copyPages(root: string): Promise<void> {
  for (const [place, source] of Object.entries(copiedPages())) {
    await mkdir(dirname(resolve(root, place)), { recursive: true })
    await cp(resolve(repository, source), resolve(root, place))
  }
}

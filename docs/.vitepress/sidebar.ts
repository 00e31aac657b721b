import type { DefaultTheme } from 'vitepress'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Pages by audience; each page of the site stands in one of the sidebars, once. */
export function sidebar(): DefaultTheme.SidebarMulti {
  const collections = {
    '/packages/': group('Packages', rest('packages', [])),
    '/specifications/': group('Operations of the APIs', rest('specifications', [])),
    '/api/': group('Types and functions', rest('api', ['index'])),
    '/decisions/': group('Decisions', rest('decisions', [])),
  }
  const main = [
    group('Start', ['index.md', 'start.md', 'architecture.md', 'security.md']),
    group('Guides', pages('guides', ['platform', 'evm', 'beacon', 'jetton', 'grpc'])),
    group(
      'Recipes',
      pages('recipes', ['failover', 'subscriptions', 'burns-watcher', 'fork-choice', 'streaming']),
    ),
    group(
      'Self-hosting',
      pages('self-hosting', ['single-machine', 'systemd', 'container', 'replicas', 'kubernetes']),
    ),
    group('Operations', rest('operations', ['running', 'scaling', 'limits', 'metrics', 'alerts'])),
    group('Reference', rest('reference', ['configuration', 'command-line', 'errors', 'node-access'])),
    group('Contributing', rest('contributing', ['index'])),
  ]
  // Collections are long: each has a sidebar of its own, which the others lead to.
  const leads = Object.values(collections).map(({ text = '', items = [] }) => ({
    text,
    link: items[0]?.link ?? '',
  }))
  const back = { text: 'Documentation', link: '/' }
  return {
    ...Object.fromEntries(
      Object.entries(collections).map(([place, pagesOf]) => [place, [back, pagesOf, ...leads]]),
    ),
    '/': [...main, { text: 'Collections', items: leads }],
  }
}

function group(text: string, paths: readonly string[]): DefaultTheme.SidebarItem {
  return { text, items: paths.map((path) => ({ text: titleOf(path), link: linkOf(path) })) }
}

const pages = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}.md`)

/** All pages of a folder: those that are named first, then the others by name. */
function rest(folder: string, first: readonly string[]): readonly string[] {
  const firstPages = pages(folder, first)
  const others = filesOf(folder)
    .map((file) => `${folder}/${file}`)
    .filter((page) => !firstPages.includes(page))
  return [...firstPages, ...others.toSorted()]
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  )
}

function titleOf(path: string): string {
  const title = /^# (.+)$/m.exec(readFileSync(resolve(root, path), 'utf8'))?.[1]
  if (title === undefined) throw new Error(`${path} has no title`)
  return title.replaceAll('`', '')
}

function linkOf(path: string): string {
  return `/${path.replace(/(?:(^|\/)index)?\.md$/, '$1')}`
}

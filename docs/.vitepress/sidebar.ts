import type { DefaultTheme } from 'vitepress'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { titleOf } from './summary.ts'

const root = resolve(import.meta.dirname, '..')

const nodeAccess = ['', '/evm', '/beacon', '/ton', '/grpc'].map((protocol) => `node-access${protocol}`)

/** Pages by audience; each page of the site stands in one of the sidebars, once. */
export function sidebar(): DefaultTheme.SidebarMulti {
  const collections = {
    '/packages/': group('Packages', rest('packages', [])),
    '/specifications/': group('Operations of the APIs', rest('specifications', [])),
    '/api/': group('Types and functions', rest('api', ['index'])),
  }
  const main = [
    group('Start', ['index.md', 'start.md', 'benchmarks.md', 'security.md']),
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
    group('Reference', rest('reference', ['configuration', 'command-line', 'errors', ...nodeAccess])),
    {
      text: 'Contributing',
      items: [
        ...itemsOf([...pages('contributing', ['index']), 'architecture.md']),
        ...itemsOf(rest('contributing', ['index']).slice(1)),
        { ...group('Decisions', rest('decisions', [])), collapsed: true },
      ],
    },
  ]
  // Collections are long: each has a separate sidebar, to which the others link.
  const leads = Object.values(collections).map(({ text = '', items = [] }) => ({
    text,
    link: items[0]?.link ?? '',
  }))
  const back = { text: 'Documentation', link: '/' }
  return {
    '/': [...main, { text: 'Collections', items: leads }],
    ...Object.fromEntries(
      Object.entries(collections).map(([place, pagesOf]) => [place, [back, pagesOf, ...leads]]),
    ),
  }
}

/** A titled list of pages. */
export interface Section {
  readonly text: string
  /** Paths on the site, such as `guides/evm.md`. */
  readonly pages: readonly string[]
}

/** The pages of all sidebars by group, each page once. */
export function sections(): readonly Section[] {
  const groups = Object.values(sidebar())
    .flatMap((items) => items as DefaultTheme.SidebarItem[])
    .filter(({ items, text }) => items !== undefined && text !== 'Collections')
  return groups.map(({ text = '', items = [] }) => ({ text, pages: pathsOf(items) }))
}

function pathsOf(items: readonly DefaultTheme.SidebarItem[]): readonly string[] {
  return items.flatMap(({ link, items: nested = [] }) => [
    ...(link === undefined ? [] : [`${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md`]),
    ...pathsOf(nested),
  ])
}

function group(text: string, paths: readonly string[]): DefaultTheme.SidebarItem {
  return { text, items: itemsOf(paths) }
}

/** Items for pages. A page `name.md` contains the pages of the folder `name`. */
function itemsOf(paths: readonly string[]): DefaultTheme.SidebarItem[] {
  const contains = (parent: string, path: string) => path.startsWith(parent.replace(/\.md$/, '/'))
  const roots = paths.filter((path) => !paths.some((parent) => contains(parent, path)))
  return roots.map((path) => {
    const items = itemsOf(paths.filter((child) => contains(path, child)))
    const item = { text: titleOf(path), link: linkOf(path) }
    return items.length === 0 ? item : { ...item, items }
  })
}

const pages = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}.md`)

/** All pages of a folder: those that are named first, then the others by name. */
function rest(folder: string, first: readonly string[]): readonly string[] {
  const firstPages = pages(folder, first)
  const others = filesOf(folder).filter((page) => !firstPages.includes(page))
  return [...firstPages, ...others.toSorted()]
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`)
}

function linkOf(path: string): string {
  return `/${path.replace(/(?:(^|\/)index)?\.md$/, '$1')}`
}

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Application } from 'typedoc'
import { MarkdownPageEvent, type PluginOptions } from 'typedoc-plugin-markdown'
import { repository } from '../.vitepress/copied-pages.ts'
import type { PageSummary } from '../.vitepress/pages.ts'
import { frontMatter } from '../.vitepress/summary.ts'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/**
 * Writes the pages about types and functions: one for each public entry of each published package, from the comments in its
 * sources.
 *
 * @throws Error when the sources cannot be read
 */
export async function writeApiPages(root: string): Promise<void> {
  const markdown: Partial<PluginOptions> = {
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hideGroupHeadings: true,
    interfacePropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    parametersFormat: 'table',
    enumMembersFormat: 'table',
    tableColumnSettings: {
      hideDefaults: true,
      hideInherited: true,
      hideModifiers: true,
      hideOverrides: true,
      hideSources: true,
    },
    excludeScopesInPaths: true,
    sanitizeComments: true,
    entryFileName: 'index',
  }
  const entries = publicEntries()
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    router: 'module',
    entryPoints: Object.keys(entries),
    tsconfig: resolve(import.meta.dirname, 'tsconfig.json'),
    out: resolve(root, 'api'),
    name: 'Types and functions',
    readme: 'none',
    // Types are checked elsewhere, and what is generated is described by the specifications.
    skipErrorChecking: true,
    excludeExternals: true,
    externalPattern: ['**/generated/**', '**/node_modules/**'],
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    disableGit: true,
    hideGenerator: true,
    validation: false,
    logLevel: 'Error',
    ...markdown,
  })
  // The entries and what they import, without the tests next to them.
  app.options.setCompilerOptions(Object.keys(entries), app.options.getCompilerOptions(app.logger), undefined)
  const project = await app.convert()
  if (project === undefined) throw new Error('typedoc cannot read the sources')
  // By what users import, not by where it stands.
  for (const entry of project.children ?? []) {
    const source = app.files.getReflectionPath(entry)
    entry.name = entries[source ?? ''] ?? entry.name
  }
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    // The outline of a page has the names that it describes, without the parts of each.
    const text = withoutHtml(page.contents ?? '')
    page.contents = `${frontMatter(summaryOf(text), 'outline: 2\n')}${text}`
  })
  await app.generateOutputs(project)
  if (app.logger.hasErrors()) throw new Error('typedoc cannot write the pages')
}

/** The heading of a page, and the names that it describes. */
function summaryOf(text: string): PageSummary {
  const plain = (words: string) => words.replaceAll(/[\\`]/g, '')
  const title = plain(/^# (.+)$/m.exec(text)?.[1] ?? '')
  if (!title.startsWith('@')) {
    return {
      title,
      description: 'Types and functions of every public entry of the published TypeScript packages.',
    }
  }
  const names = [...text.matchAll(/^## (.+)$/gm)].map(([, name = '']) => plain(name))
  const list =
    names.length === 0 ? 'messages and service definitions, generated from protobuf.' : names.join(', ')
  return { title: `${title}: types and functions`, description: `TypeScript reference of ${title}: ${list}` }
}

/** Pages are Markdown alone: rows of tables have no anchors, and links to them lead to their pages. */
function withoutHtml(text: string): string {
  return text
    .replaceAll(/<a id="[^"]*"><\/a> ?/g, '')
    .replaceAll(/(\]\([^()\s#]*)#property-[^()\s]*\)/g, '$1#)')
}

// Packages that are run, and described by what they are configured with.
const programs = ['devnet', 'gateway']

/** What users of published packages import, by the file that it stands in; contracts are left out, as they are data. */
function publicEntries(): Readonly<Record<string, string>> {
  const folders = readdirSync(resolve(repository, 'packages')).filter((name) => !programs.includes(name))
  return Object.fromEntries(
    folders.toSorted().flatMap((name) => {
      const folder = resolve(repository, 'packages', name)
      const manifest = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')) as Manifest
      if (manifest.private === true) return []
      return Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) => {
        const source = typeof target === 'string' ? undefined : target['@fairlead/source']
        const isShown = source !== undefined && !/\/(?:contract|descriptors)$/.test(entry)
        return isShown ? [[resolve(folder, source), `${manifest.name}${entry.slice(1)}`]] : []
      })
    }),
  )
}

import type { Package } from '@fairlead/release-gate'
import { shortened } from '@fairlead/spec-diff/github'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The title and the text of a release. */
export interface ReleaseText {
  readonly title: string
  readonly body: string
}

type Packages = ReadonlyMap<string, Package>

const ending = 'The changelogs contain the full text.'

/** Returns the packages with new versions, and the changes of each from its changelog. */
export async function releaseText(before: Packages, after: Packages): Promise<ReleaseText> {
  const raised = [...after.values()].filter(({ name, version }) => before.get(name)?.version !== version)
  const rows = raised.map(
    ({ name, version }) => `| \`${name}\` | ${before.get(name)?.version ?? ''} | ${version} |`,
  )
  const sections = await Promise.all(raised.map(changelogSection))
  const table = `| package | before | after |\n| --- | --- | --- |\n${rows.join('\n')}\n`
  const [only] = raised
  const title =
    raised.length === 1 && only ? `Release ${only.name} ${only.version}` : `Release ${raised.length} packages`
  return { title, body: shortened(`${table}\n${sections.join('\n')}`, ending) }
}

async function changelogSection({ name, version, directory }: Package): Promise<string> {
  const file = join(directory, 'CHANGELOG.md')
  const text = existsSync(file) ? await readFile(file, 'utf8') : ''
  const start = text.indexOf(`## ${version}\n`)
  if (start === -1) return ''
  const end = text.indexOf('\n## ', start)
  return `#${text
    .slice(start, end === -1 ? undefined : end)
    .replace(version, `${name} ${version}`)
    .trimEnd()}\n`
}

import { type Package, packagesIn } from '@fairlead/release-gate'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { releaseText } from './release-text.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-release-text-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function checkout(name: string, versions: Readonly<Record<string, string>>, changelog: string) {
  for (const [short, version] of Object.entries(versions)) {
    const directory = join(folder, name, 'packages', short)
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, 'package.json'), JSON.stringify({ name: `@fairlead/${short}`, version }))
    await writeFile(join(directory, 'CHANGELOG.md'), changelog)
  }
  return packagesIn(join(folder, name))
}

const changelog = '# @fairlead/ships\n\n## 0.3.0\n\n### Minor Changes\n\n- Sails.\n\n## 0.2.0\n\n- Older.\n'

describe('the text of a release', () => {
  it('lists the raised packages with their latest changes', async () => {
    const before = await checkout('before', { ships: '0.2.0', ports: '1.0.0' }, '')
    const after = await checkout('after', { ships: '0.3.0', ports: '1.0.0' }, changelog)
    expect(await releaseText(before, after)).toEqual({
      title: 'Release @fairlead/ships 0.3.0',
      body:
        '| package | before | after |\n| --- | --- | --- |\n| `@fairlead/ships` | 0.2.0 | 0.3.0 |\n' +
        '\n### @fairlead/ships 0.3.0\n\n### Minor Changes\n\n- Sails.\n',
    })
  })

  it('is truncated at a line end if it is too long for GitHub', async () => {
    const long = `## 2.0.0\n\n${'- A line of a changelog.\n'.repeat(4_000)}`
    const after = await checkout('long', { ships: '2.0.0', ports: '2.0.0' }, long)
    const { title, body } = await releaseText(new Map<string, Package>(), after)
    expect(title).toBe('Release 2 packages')
    expect(body.length).toBeLessThan(65_536)
    expect(body).toMatch(/\n- A line of a changelog\.\n\nThe changelogs contain the full text\.\n$/)
  })
})

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { describe, expect, it, onTestFinished } from 'vitest'
import { allFences, placeOf } from '../pages/fence.ts'

const fences = allFences.filter(({ language }) => language === 'nginx')
const hasNginx = spawnSync('nginx', ['-v']).status === 0

describe.each(fences.map((fence) => [placeOf(fence), fence.text] as const))('%s', (_, text) => {
  it('is made of directives and blocks', () => {
    expect(directivesOf(text)).toEqual(
      expect.arrayContaining(['upstream', 'server', 'location', 'proxy_pass']),
    )
  })

  it.skipIf(!hasNginx)('is taken by nginx', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-nginx-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'fairlead.example.com' }])
    writeFileSync(join(folder, 'fullchain.pem'), cert)
    writeFileSync(join(folder, 'privkey.pem'), key)
    const here = text.replaceAll('/etc/nginx/tls', folder).replaceAll('/var/log/nginx', folder)
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp {\n${here}}\n`)
    const args = ['-t', '-p', folder, '-e', 'stderr', '-c', file]
    expect(() => execFileSync('nginx', args, { stdio: 'pipe' })).not.toThrow()
  })
})

/** The names of all directives, where blocks and statements end as they have to. */
function directivesOf(text: string): readonly string[] {
  const words = text.replaceAll(/^\s*#.*$/gm, '').match(/'[^']*'|"[^"]*"|[{};]|[^\s{};]+/g) ?? []
  const names: string[] = []
  let depth = 0
  let isFirst = true
  for (const word of words) {
    if (word === '{') depth += 1
    if (word === '}') {
      if (!isFirst || depth === 0) throw new Error('a block ends where none can')
      depth -= 1
    }
    const ends = /^[{};]$/.test(word)
    if (isFirst && !ends) names.push(word)
    isFirst = ends
  }
  if (depth !== 0 || !isFirst) throw new Error('a block or a statement does not end')
  return names
}

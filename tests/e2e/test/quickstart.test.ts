import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { repository, startGateway, temporaryFolder } from './gateway.ts'

const readme = readFileSync(join(repository, 'README.md'), 'utf8')
const fence = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]

describe('the quickstart of the README', () => {
  it('is the program that npm run quickstart runs, in fewer than 30 lines', () => {
    const program = readFileSync(join(repository, 'examples/quickstart/quickstart.ts'), 'utf8')
    expect(fence('ts')).toBe(program)
    expect(program.trimEnd().split('\n').length).toBeLessThan(30)
  })

  it('prints the output of the README', async () => {
    // A fresh chain, because other tests create blocks.
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const gateway = await startGateway(folder.path)
    onTestFinished(async () => void (await gateway.end('SIGTERM')))
    for (const name of ['package.json', 'examples', 'packages', 'node_modules']) {
      await symlink(join(repository, name), join(folder.path, name))
    }
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'quickstart'], {
      cwd: folder.path,
    })
    expect(stdout).toBe(fence('text'))
  })
})

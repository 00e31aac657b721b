import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { repository } from './gateway.ts'

const readme = readFileSync(join(repository, 'README.md'), 'utf8')
const fence = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]

describe('the quickstart of the README', () => {
  it('is the program that npm run quickstart runs, in fewer than 30 lines', () => {
    const program = readFileSync(join(repository, 'examples/quickstart/quickstart.ts'), 'utf8')
    expect(fence('ts')).toBe(program)
    expect(program.trimEnd().split('\n').length).toBeLessThan(30)
  })

  it('prints the output of the README', () => {
    expect(inject('quickstart')).toBe(fence('text'))
  })
})

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { options } from './options.ts'

const page = readFileSync(new URL('../../../../docs/reference/configuration.md', import.meta.url), 'utf8')

it.each(Object.entries(options))('the reference page describes %s as it is', (name, option) => {
  const fallback = 'fallback' in option ? `\`${option.fallback}\`` : ''
  const cells = [`\`${name}\``, `\`${option.environment}\``, fallback, option.description]
  const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``))
  expect(
    row
      ?.split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  ).toEqual(cells)
})

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Option, options } from './options.ts'

const page = readFileSync(new URL('../../../../docs/reference/configuration.md', import.meta.url), 'utf8')

it.each(Object.entries(options))('the reference page describes %s accurately', (name, option) => {
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

it('the reference page lists the options that apply without a restart', () => {
  const sentence = /read its files again[^]*?options then change: ([^.]*)\./.exec(page)?.[1] ?? ''
  const named = [...sentence.matchAll(/`(\w+)`/g)].map((match) => match[1])
  const reloaded = (Object.entries(options) as [string, Option][]).filter(([, { reload }]) => reload)
  expect(new Set(named)).toEqual(new Set(reloaded.map(([name]) => name)))
})

import { expect, it } from 'vitest'
import { missingTags } from './missing-tags.ts'

const named = (name: string, version: string, isPublished = true) =>
  [name, { name, version, isPublished, directory: '', manifest: { name, version } }] as const

it('returns the versions of published packages without a tag on origin', () => {
  const packages = new Map([
    named('@fairlead/ships', '0.3.0'),
    named('@fairlead/ports', '0.3.0'),
    named('@fairlead/docks', '0.1.0', false),
  ])
  const listed = 'abc\trefs/tags/@fairlead/ships@0.3.0\ndef\trefs/tags/@fairlead/ports@0.3.0-canary-1\n'
  expect(missingTags(packages, listed)).toEqual(['@fairlead/ports@0.3.0'])
})

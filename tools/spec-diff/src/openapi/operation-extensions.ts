import type { Json } from '@fairlead/codegen/src/bundle.ts'
import { type Affected, type Bump, type Category, categoryOf, type Change, shown } from '../change.ts'
import { isExperimental, named, type Operation, operationsOf } from './operations.ts'

interface Finding {
  readonly bump: Bump
  readonly category: Category
  readonly affected: Affected
  readonly what: string
}

/** Returns differences of the OpenAPI extensions of operations: `x-scopes`, `x-sunset` and the like. */
export function operationExtensions(base: Json, head: Json): readonly Change[] {
  const before = new Map(operationsOf(base).map((operation) => [withoutNames(operation), operation]))
  return operationsOf(head).flatMap((operation) => {
    const earlier = before.get(withoutNames(operation))
    if (!earlier) return []
    const keys = new Set(
      [...Object.keys(earlier.definition), ...Object.keys(operation.definition)].filter((key) =>
        key.startsWith('x-'),
      ),
    )
    return [...keys].flatMap((key): readonly Change[] => {
      const old = earlier.definition[key]
      const now = operation.definition[key]
      if (JSON.stringify(old) === JSON.stringify(now)) return []
      const finding = rateExtension(key, old, now)
      const bump = isExperimental(earlier) && finding.bump === 'major' ? 'minor' : finding.bump
      return [
        {
          ...finding,
          bump,
          category: bump === finding.bump ? finding.category : 'changed',
          place: named(operation),
          pointer: `${operation.pointer}/${key}`,
          ...(old !== undefined && { before: shown(old) }),
          ...(now !== undefined && { after: shown(now) }),
        },
      ]
    })
  })
}

// The parameter names in a path template may change without changing the path.
function withoutNames({ name }: Operation): string {
  return name.replaceAll(/\{[^}]*\}/g, '{}')
}

function rateExtension(key: string, before: unknown, after: unknown): Finding {
  switch (key) {
    case 'x-scopes':
      return scopes(before, after)
    case 'x-sunset':
    case 'x-deprecated-since':
      return { bump: 'minor', category: 'deprecated', affected: 'client', what: `\`${key}\` changed.` }
    case 'x-stability': {
      // A stable contract is withdrawn.
      const bump = after === 'experimental' ? 'major' : 'minor'
      return {
        bump,
        category: categoryOf(bump, 'changed'),
        affected: 'client',
        what: 'The stability changed.',
      }
    }
    default:
      return { bump: 'minor', category: 'changed', affected: 'both', what: `\`${key}\` changed.` }
  }
}

function scopes(before: unknown, after: unknown): Finding {
  const needed = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
  const more = needed(after).filter((scope) => !needed(before).includes(scope))
  const bump = more.length > 0 ? 'major' : 'minor'
  const what =
    more.length > 0
      ? `A caller now also needs ${more.map((scope) => `\`${scope}\``).join(', ')}.`
      : 'Fewer scopes are needed.'
  return { bump, category: categoryOf(bump, 'changed'), affected: 'both', what }
}

import { type Bump, highest } from '@fairlead/spec-diff'
import type { Member, Shape, Signature } from './shape.ts'
import { rateValues } from './value.ts'

/**
 * Rates the change of a declaration.
 *
 * @param isInput - whether functions accept it as input, so that users create such values
 */
export function rateShapes(before: Shape, after: Shape, isInput: boolean): Bump {
  if (before.kind === 'value' && after.kind === 'value') return rateValues(before.value, after.value)
  if (before.kind === 'function' && after.kind === 'function')
    return rateSignatures(before.signatures, after.signatures)
  if (before.kind === 'union' && after.kind === 'union') {
    if (before.head !== after.head) return 'major'
    const isRemoved = before.options.some((option) => !after.options.includes(option))
    if (isRemoved) return 'major'
    return after.options.length > before.options.length ? 'minor' : 'none'
  }
  if (before.kind === 'members' && after.kind === 'members') {
    if (before.head !== after.head) return 'major'
    return rateMembers(before.members, after.members, isInput && after.isOpen)
  }
  if (before.kind === 'text' && after.kind === 'text' && before.text === after.text) return 'none'
  return 'major'
}

function rateMembers(
  before: ReadonlyMap<string, Member>,
  after: ReadonlyMap<string, Member>,
  isInput: boolean,
): Bump {
  const changed = [...before].map(([name, member]) => rateMember(member, after.get(name)))
  const added = [...after].filter(([name]) => !before.has(name))
  // Existing values of users do not have the new member.
  const isNeeded = isInput && added.some(([, { isOptional }]) => !isOptional)
  return highest([
    ...changed,
    ...(added.length > 0 ? (['minor'] as const) : []),
    ...(isNeeded ? (['major'] as const) : []),
  ])
}

function rateMember(before: Member, after: Member | undefined): Bump {
  if (!after || before.isOptional !== after.isOptional) return 'major'
  if (!before.isReadonly && after.isReadonly) return 'major'
  const type =
    before.signature && after.signature
      ? rateSignatures([before.signature], [after.signature])
      : before.type === after.type
        ? 'none'
        : 'major'
  return type === 'none' && before.isReadonly !== after.isReadonly ? 'minor' : type
}

function rateSignatures(before: readonly Signature[], after: readonly Signature[]): Bump {
  const fits = before.map((signature) => highestFit(signature, after))
  return highest([...fits, ...(after.length > before.length ? (['minor'] as const) : [])])
}

// Returns the rating of the signature that best accepts calls of the older one.
function highestFit(before: Signature, candidates: readonly Signature[]): Bump {
  const fits = candidates.map((after) => rateSignature(before, after))
  if (fits.includes('none')) return 'none'
  return fits.includes('minor') ? 'minor' : 'major'
}

function rateSignature(before: Signature, after: Signature): Bump {
  if (before.typeParameters !== after.typeParameters || before.returns !== after.returns) return 'major'
  let isWider = false
  for (const [index, parameter] of after.parameters.entries()) {
    const old = before.parameters[index]
    if (!old && !parameter.isOptional) return 'major'
    if (old && (old.type !== parameter.type || (old.isOptional && !parameter.isOptional))) return 'major'
    isWider ||= old === undefined || old.isOptional !== parameter.isOptional
  }
  if (before.parameters.length > after.parameters.length) return 'major'
  return isWider ? 'minor' : 'none'
}

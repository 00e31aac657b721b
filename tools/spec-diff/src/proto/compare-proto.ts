import type { FileDescriptorSet } from '@bufbuild/protobuf/wkt'
import type { Change } from '../change.ts'
import { type BufFinding, bufBreaking } from './buf-breaking.ts'
import { elementsOf, type ProtoElement } from './elements.ts'

/**
 * Lists the differences between the proto files of two versions: the findings of `buf breaking`, additions and
 * deprecations.
 *
 * @throws Error with the output of buf
 */
export async function compareProto(
  base: FileDescriptorSet,
  head: FileDescriptorSet,
): Promise<readonly Change[]> {
  const before = elementsOf(base)
  const after = elementsOf(head)
  const findings = await bufBreaking(base, head)
  return [...findings.map(broken), ...added(before, after), ...deprecated(before, after)]
}

function broken({ path, type, message }: BufFinding): Change {
  return {
    bump: 'major',
    category: 'breaking',
    affected: /^(FILE|PACKAGE|ENUM_NO|MESSAGE_NO|SERVICE_NO)/.test(type) ? 'client' : 'both',
    // buf reports the file separately. The message contains the element.
    place: /on (?:message|enum|service) "([^"]+)"/.exec(message)?.[1] ?? path,
    pointer: path,
    what: `${message} (${type})`,
  }
}

function added(
  before: ReadonlyMap<string, ProtoElement>,
  after: ReadonlyMap<string, ProtoElement>,
): readonly Change[] {
  const names = new Set([...before.values()].map(({ name }) => name))
  return [...after]
    .filter(([key, { parent }]) => !before.has(key) && (parent === undefined || names.has(parent)))
    .map(([, { kind, name, file, parent }]) => ({
      bump: 'minor',
      category: 'added',
      affected: kind === 'enum value' ? 'both' : kind === 'file' || kind === 'message' ? 'nobody' : 'server',
      place: parent ?? name,
      pointer: file,
      what: `The ${kind} \`${parent === undefined ? name : name.slice(parent.length + 1)}\` was added.`,
    }))
}

function deprecated(
  before: ReadonlyMap<string, ProtoElement>,
  after: ReadonlyMap<string, ProtoElement>,
): readonly Change[] {
  return [...after].flatMap(([key, { kind, name, file, ...element }]): readonly Change[] => {
    const was = before.get(key)?.deprecated
    if (was === undefined || was === element.deprecated) return []
    const place = name
    return element.deprecated
      ? [
          {
            bump: 'minor',
            category: 'deprecated',
            affected: 'client',
            place,
            pointer: file,
            what: `The ${kind} is deprecated.`,
          },
        ]
      : [
          {
            bump: 'patch',
            category: 'changed',
            affected: 'client',
            place,
            pointer: file,
            what: `The ${kind} is no longer deprecated.`,
          },
        ]
  })
}

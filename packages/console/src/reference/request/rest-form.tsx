import { useState } from 'preact/hooks'
import type { Parameter, RestOperation } from '../documents/operation.ts'
import { describeSchema } from '../schema/describe-schema.ts'
import { useSchemas } from '../schema/schemas-context.ts'
import { ChoiceControl, CodeControl, Control } from './control.tsx'
import { acceptedTypes, exampleText, inputKey, isList, type RestInputs } from './rest-request.ts'

/** Inputs for all parameters and the body of a REST operation. */
export function RestForm({
  operation,
  inputs,
  onInputs,
}: {
  readonly operation: RestOperation
  readonly inputs: RestInputs
  onInputs(inputs: RestInputs): void
}) {
  const types = acceptedTypes(operation)
  return (
    <>
      {operation.parameters.map((parameter) => (
        <ParameterControl
          key={inputKey(parameter)}
          parameter={parameter}
          value={inputs.parameters[inputKey(parameter)] ?? ''}
          onValue={(value) =>
            onInputs({ ...inputs, parameters: { ...inputs.parameters, [inputKey(parameter)]: value } })
          }
        />
      ))}
      {operation.body && (
        <CodeControl label="Body" value={inputs.body} onValue={(body) => onInputs({ ...inputs, body })} />
      )}
      {types.length > 1 && (
        <ChoiceControl
          label="Response format"
          value={inputs.accept}
          choices={types.map((type) => ({ value: type, label: type }))}
          onValue={(accept) => onInputs({ ...inputs, accept })}
        />
      )}
    </>
  )
}

function ParameterControl({
  parameter,
  value,
  onValue,
}: {
  readonly parameter: Parameter
  readonly value: string
  onValue(value: string): void
}) {
  const schemas = useSchemas()
  const [example] = useState(() => exampleText(parameter, schemas))
  const label = (
    <>
      <code>{parameter.name}</code> {parameter.isRequired && <span class="muted">required</span>}
    </>
  )
  const choices = choicesOf(parameter, describeSchema(parameter.schema, schemas))
  if (choices) {
    return (
      <ChoiceControl
        label={label}
        value={value}
        choices={['', ...choices].map((choice) => ({ value: choice, label: choice || 'not set' }))}
        onValue={onValue}
      />
    )
  }
  if (isList(parameter, schemas)) {
    return (
      <Control label={label} hint="One value per line.">
        {(attributes) => (
          <textarea
            {...attributes}
            class="input"
            rows={2}
            spellcheck={false}
            placeholder={example}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        )}
      </Control>
    )
  }
  return (
    <Control label={label}>
      {(attributes) => (
        <input
          {...attributes}
          class="input"
          spellcheck={false}
          placeholder={example}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Control>
  )
}

/** The possible values of a parameter; undefined when it is not an enumeration. */
function choicesOf(
  { schema }: Parameter,
  { type, rules }: ReturnType<typeof describeSchema>,
): readonly string[] | undefined {
  if (type === 'boolean') return ['true', 'false']
  if (type.startsWith('array')) return undefined
  const values = schema.enum?.map(String)
  return (
    values ?? rules.find(({ label }) => label === 'one of')?.values.map((value) => String(JSON.parse(value)))
  )
}

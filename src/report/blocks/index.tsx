/**
 * A section of a report, drawn without knowing what it is about.
 *
 * In: a section's blocks, whose words and figures Python has made. Out: the markup.
 * Not here: what a section holds (`kernelgate.report.sections`), pictures (`pictures`).
 */
import * as React from 'react';
import type { IBlock, IReport, ISection, IText } from '../../model/types';
import { Log } from '../parts/log';
import { Prose } from '../parts/prose';
import { Section } from '../parts/section';
import { Picture } from './pictures';
import { BlockTable } from './table';

interface ISectionProps {
  section: ISection;
  report: IReport;
}

export function BlockSection(props: ISectionProps): React.JSX.Element {
  const { section, report } = props;
  const stacks = [section.blocks, section.aside].filter(
    blocks => blocks.length > 0
  );
  const inside = (
    <div className="jp-KernelReport-columns">
      {stacks.map((blocks, n) => (
        <div key={n} className="jp-KernelReport-stack">
          {blocks.map((block, place) => (
            <Block key={place} block={block} report={report} />
          ))}
        </div>
      ))}
    </div>
  );
  return section.plain ? (
    <div className="jp-KernelReport-body jp-KernelReport-times">{inside}</div>
  ) : (
    <Section
      id={section.id}
      name={section.name}
      conclusion={section.conclusion}
      failing={section.open}
    >
      {inside}
    </Section>
  );
}

interface IBlockProps {
  block: IBlock;
  report: IReport;
}

function Block({ block, report }: IBlockProps): React.JSX.Element | null {
  const { items, note, picture, table, text } = block;
  if (table) {
    return <BlockTable table={table} report={report} />;
  }
  if (picture) {
    return <Picture picture={picture} report={report} />;
  }
  if (items) {
    return (
      <dl className="jp-KernelReport-message">
        {items.rows.map(({ name, value }, n) => (
          <React.Fragment key={n}>
            <dt>{name}</dt>
            <dd>
              <Prose text={value} />
            </dd>
          </React.Fragment>
        ))}
      </dl>
    );
  }
  if (note) {
    return (
      <p className="jp-KernelReport-note">
        <Prose text={note.text} />
      </p>
    );
  }
  return text && <Said text={text} />;
}

function Said({ text }: { text: IText }): React.JSX.Element {
  return text.folded ? (
    <Log name={text.title} text={text.text} lines={text.lines} />
  ) : (
    <pre
      className="jp-KernelReport-pre"
      tabIndex={0}
      role="group"
      aria-label={text.title}
    >
      {text.text}
    </pre>
  );
}

// Sequelize: an ID is a string.
import assert from 'node:assert';
import { readIdArrays, show, showAll } from './show.mjs';
import { Op } from 'sequelize';
// In docs/clients/javascript.md:
import { DataTypes, Sequelize } from 'sequelize';
// End.
const sequelize = new Sequelize(process.env.PGDATABASE, process.env.PGUSER, '',
    { dialect: 'postgres', host: process.env.PGHOST, port: process.env.PGPORT, logging: false });
// In docs/clients/javascript.md:
const id = { type: DataTypes.BIGINT, primaryKey: true, defaultValue: Sequelize.literal('next_id()') };
const options = { freezeTableName: true, timestamps: false };
const Photo = sequelize.define('photo', { id, title: DataTypes.TEXT }, options);
const Comment = sequelize.define('comment', { id }, options);
Comment.belongsTo(Photo, { foreignKey: 'photo_id' });
await sequelize.sync();

const photo = await Photo.create({ title: 'one' });  // photo.id is set
const comment = await Comment.create({ photo_id: photo.id });
// End.
const batch = await Photo.bulkCreate([{ title: 'batch 1' }, { title: 'batch 2' }]);

const [block] = await sequelize.query('SELECT next_ids(2)::text AS id');
await Photo.bulkCreate(block.map(({ id }, n) => ({ id, title: `block ${n + 1}` })));
assert.strictEqual(typeof photo.id, 'string');
const alone = await Comment.create({ photo_id: null });
const found = await Photo.findByPk(photo.id);
show([photo, ...batch, ...block.map(({ id }, n) => ({ id, title: `block ${n + 1}` }))],
    [comment.photo_id, alone.photo_id], found.title);
await showAll((begin) =>
    Photo.findAll({ where: { id: { [Op.gte]: begin, [Op.lt]: Sequelize.literal('id_settled()') } }, order: ['id'] }));

// A second sync leaves the columns of IDs as they are, whatever else it writes.
const changes = [];
await sequelize.sync({ alter: true, logging: (statement) => changes.push(statement) });
assert.deepStrictEqual(changes.filter((statement) => /ALTER COLUMN "(id|photo_id)"/.test(statement)), []);

const Album = sequelize.define('album', {
    id: { type: 'id64', primaryKey: true, defaultValue: Sequelize.literal('next_id()') },
    title: DataTypes.TEXT,
    pictures: 'id64[]',
}, options);
await Album.sync();
const album = await Album.create({ title: 'one' });
const albums = await Album.bulkCreate([{ title: 'batch 1' }, { title: 'batch 2' }]);
const pictures = albums.map(({ id }) => id);
await album.update({ pictures });
const [chosen] = await sequelize.query('SELECT id FROM album WHERE id = ANY($1)', { bind: [pictures] });
assert.deepStrictEqual(chosen.map(({ id }) => id), pictures);
await readIdArrays({ query: async (text) => ({ rows: await sequelize.query(text, { type: 'SELECT' }) }) });
const [one] = await Album.findAll({ where: { id: [album.id] } });
assert.deepStrictEqual(one.pictures, pictures);
await sequelize.close();

# Keys that are id64 and ulid, with application.rb. Prints as JSON what it made, and what it read back.

album = Album.create!(title: 'one') # album.id is set, a string of 11 characters
visit = album.visits.create!
batch = Album.insert_all!([{ title: 'batch 1' }, { title: 'batch 2' }], returning: %w[title id]).rows.to_h
album.update!(pictures: batch.values)
chosen = Album.where(id: batch.values).order(:id) # in the order of their times
visits = Visit.insert_all!([{ album_id: album.id }] * 2, returning: :id).rows.flatten
visit.update!(before: visits)
photo = Photo.create!(title: 'json')
found = Album.find_by!(id: album.id)

not_found = lambda do |model, id|
  model.find(id)
rescue ActiveRecord::RecordNotFound
  'not found'
end
require 'action_controller'
PhotosController = AlbumsController = Class.new(ActionController::Metal)
routed = lambda do |path|
  Rails.application.routes.recognize_path(path)[:id]
rescue ActionController::RoutingError
  'no route'
end
Photo.create!(id: 4, title: 'row 4')

puts JSON.generate(
  refused: %w[nope 4oPf3gqtma AzL8n0Y58m8 4oPf3gqtm-0].map { |id| not_found.call(Album, id) } +
    %w[nope 81M847W60NZ97D3TPMT624Q85R].map { |id| not_found.call(Visit, id) },
  read_as_4: Photo.find('4oPf3gqtma0').title, routed: %W[/photos/#{photo.id} /photos/4oPf3gqtma0 /albums/#{album.id} /albums/nope].map(&routed),
  version: Rails.version,
  schemas: Album.connection.schema_names,
  one: album.id, visit: visit.id, batch: batch, visits: visits, photo: photo.id.to_s, found: found.title,
  chosen: chosen.map(&:title), pictures: album.reload.pictures, before: visit.reload.before, of: visit.album.title,
  containing: Album.where('pictures @> ARRAY[?]::id64[]', batch.values.first).pluck(:title),
  json: [album, visit, photo].map(&:to_json).join,
  prepared: Album.connection.select_values('SELECT statement FROM pg_prepared_statements').grep(/albums/).any?)

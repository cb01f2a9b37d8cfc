# Active Record without Rails: the migration gives the DEFAULT, the model reads it back. Prints as psycopg/app.py does.
require 'active_record'

ActiveRecord::Base.establish_connection(adapter: 'postgresql')
ActiveRecord::Migration.verbose = false

require_relative 'db/migrate/20260101000000_create_photos'
require_relative 'models'
CreatePhotos.migrate(:up)

# In docs/clients/ruby.md:
photo = Photo.create!(title: 'one') # photo.id is set
comment = photo.comments.create!
batch = Photo.insert_all!([{ title: 'batch 1' }, { title: 'batch 2' }], returning: %w[title id]).rows

block = Photo.connection.select_values('SELECT next_ids(2)')
Photo.insert_all!(block.each.with_index(1).map { |id, number| { id: id, title: "block #{number}" } })
# End.

puts "one\t#{photo.id}"
batch.each { |title, id| puts "#{title}\t#{id}" }
block.each.with_index(1) { |id, number| puts "block #{number}\t#{id}" }
Comment.create!
Comment.all.each { |each| puts "comment\t#{each.photo_id}" }
puts "found\t#{Photo.find(photo.id).title}"

from, seen = 0, 0
while seen < 5
  photos = Photo.uncached { Photo.where(id: from..).where('id < id_settled()').order(:id).to_a }
  photos.each { |read| puts "read\t#{read.id}" }
  from = photos.last.id + 1 if photos.any?
  seen += photos.size
end

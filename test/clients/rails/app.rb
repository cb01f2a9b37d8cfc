# Active Record: the migration gives the DEFAULT, the model needs nothing. Prints as psycopg/app.py does.
require 'active_record'

ActiveRecord::Base.establish_connection(adapter: 'postgresql')
ActiveRecord::Migration.verbose = false

# In docs/clients.md:
class CreatePhotos < ActiveRecord::Migration[6.1]
  def change
    enable_extension 'idgen'
    create_table :photos, id: :bigint, default: -> { 'next_id()' } do |t|
      t.text :title
    end
    create_table :comments, id: :bigint, default: -> { 'next_id()' } do |t|
      t.references :photo, type: :bigint, foreign_key: true
    end
  end
end
# End.
CreatePhotos.migrate(:up)

class Photo < ActiveRecord::Base
  has_many :comments
end

class Comment < ActiveRecord::Base
  belongs_to :photo
end

# In docs/clients.md:
photo = Photo.create!(title: 'one') # photo.id is set
comment = photo.comments.create!
batch = Photo.insert_all!([{ title: 'batch 1' }, { title: 'batch 2' }], returning: %w[title id]).rows

block = Photo.connection.select_values('SELECT next_ids(2)')
Photo.insert_all!(block.each.with_index(1).map { |id, number| { id: id, title: "block #{number}" } })
# End.

puts "one\t#{photo.id}"
batch.each { |title, id| puts "#{title}\t#{id}" }
block.each.with_index(1) { |id, number| puts "block #{number}\t#{id}" }
puts "comment\t#{comment.photo_id}"
puts "found\t#{Photo.find(photo.id).title}"

# The schema that Rails writes down makes the same table again.
schema = StringIO.new
ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection, schema)
line = 'create_table "photos", id: :bigint, default: -> { "next_id()" }'
abort "schema.rb: no #{line} in #{schema.string}" unless schema.string.include?(line)
